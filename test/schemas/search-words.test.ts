import { expect } from 'chai';
import { searchKey } from '../../src/schemas/keys.js';
import { searchedWords, storedWords, wordLength } from '../../src/schemas/search-words.js';
import { userKeys } from '../../src/services/accounts/store.js';

const wordsOf = (firstName: string, lastName: string, email: string) =>
  storedWords({ email, ...userKeys({ firstName, lastName, email }) });

describe('The words by which accounts are found', () => {
  it('are few: names, email and its domain have indexes by which their beginnings are found', () => {
    expect(wordsOf('Ada', 'Lovelace', 'ada.lovelace@example.org')).to.deep.equal([]);
  });

  it('begin after a space, a hyphen, an apostrophe and an @', () => {
    expect(wordsOf('Anne-Marie', 'van Dijk', 'am@my-firm.example')).to.deep.equal(['marie', 'dijk', 'firm.example']);
    expect(wordsOf('Zoë', "O'Hara", 'zoe@example.org')).to.deep.equal(['hara']);
    expect(wordsOf('Zoë', 'O’Hara’', 'zoe@example.org')).to.include('hara’');
  });

  it('begin with each character of scripts without spaces', () => {
    expect(wordsOf('小龙', '李', 'li@example.org')).to.deep.equal(['龙']);
    expect(wordsOf('はなこ', '山田', 'hanako@example.org')).to.deep.equal(['なこ', 'こ', '田']);
    expect(wordsOf('길동', '홍', 'hong@example.org')).to.deep.equal(['동']);
  });

  it('have the folded text where the key to sort by has another', () => {
    expect(wordsOf('Łukasz', 'Weiß', 'l@example.org')).to.deep.equal(['łukasz', 'weiß']);
    expect(wordsOf('José', 'García', 'josé@example.org')).to.deep.equal(['jose@example.org']);
    expect(wordsOf('Zoë', 'Zimmer', 'z@bücher.example')).to.deep.equal(['z@bucher.example', 'bucher.example']);
  });

  it('are cut to the length of their column, in whole characters', () => {
    const [word = ''] = wordsOf('a', `b ${'🦊'.repeat(80)}`, 'c@example.org');
    expect(Array.from(word)).to.have.length(wordLength);
    expect(word.isWellFormed()).to.equal(true);
    expect(searchedWords('x'.repeat(100))).to.deep.equal(['x'.repeat(wordLength)]);
  });

  it('of a search are separated by spaces, each once, without separators before them', () => {
    expect(searchedWords(searchKey(' Ada  LOVELACE ada @example.org '))).to.deep.equal([
      'ada',
      'lovelace',
      'example.org',
    ]);
    expect(searchedWords(searchKey("anne-marie o'hara"))).to.deep.equal(['anne-marie', "o'hara"]);
    for (const text of ['', '-', "@ '"]) expect(searchedWords(searchKey(text)), text).to.deep.equal([]);
  });
});
