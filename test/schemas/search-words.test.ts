import { expect } from 'chai';
import fc from 'fast-check';
import { isAsciiLetters, searchedWords, storedWords, wordLength } from '../../src/schemas/search-words.js';
import { userKeys } from '../../src/services/accounts/keys.js';
import { atDepth } from '../support/depth.js';

const wordsOf = (firstName: string, lastName: string, email: string) =>
  storedWords({ email, ...userKeys({ firstName, lastName, email }) });

describe('Search words of accounts', () => {
  it('are not stored for beginnings of names, email and domain, which have indexes', () => {
    expect(wordsOf('Ada', 'Lovelace', 'ada.lovelace@example.org')).to.deep.equal([]);
  });

  it('start after a space, a hyphen, an apostrophe and an @', () => {
    expect(wordsOf('Anne-Marie', 'van Dijk', 'anne@my-firm.example')).to.deep.equal(['marie', 'dijk', 'firm.example']);
    expect(wordsOf('Zoë', "O'Hara", 'zoe@example.org')).to.deep.equal(['hara']);
    expect(wordsOf('Zoë', 'O’Hara’', 'zoe@example.org')).to.deep.equal(["hara'"]);
  });

  it('start at each character of scripts without spaces', () => {
    expect(wordsOf('小龙', '李', '李@example.org')).to.deep.equal(['龙']);
    expect(wordsOf('はなこ', '山田', '3@example.org')).to.deep.equal(['なこ', 'こ', '田']);
    expect(wordsOf('길동', '홍', 'example@example.org')).to.deep.equal(['동']);
  });

  it('contain the folded text if the sort key differs', () => {
    expect(wordsOf('Łukasz', 'Weiß', 'l@example.org')).to.deep.equal([]);
    expect(wordsOf('Іван', 'Єва', '7@example.org')).to.deep.equal(['іван', 'єва']);
    expect(wordsOf('José', 'García', 'josé@example.org')).to.deep.equal(['jose@example.org']);
    expect(wordsOf('Zoë', 'Zimmer', 'z@bücher.example')).to.deep.equal(['z@bucher.example', 'bucher.example']);
  });

  it('contain the first letters of the email, unless a name or the domain begins with them', () => {
    const of = (email: string) => wordsOf('Ada', 'Lovelace', email);
    expect(of('alovelace7@example.org')).to.deep.equal(['alovelace']);
    expect(of('lovelaceada@example.org')).to.deep.equal(['lovelaceada']);
    for (const email of [
      'ada@example.org',
      'love.1@example.org',
      'exam@example.org',
      '7@example.org',
      '_ada@example.org',
    ])
      expect(of(email), email).to.deep.equal([]);
    // `mar` is not stored, because `maria` begins with it.
    expect(wordsOf('Ada Mar', 'Lovelace', 'maria@example.org')).to.deep.equal(['maria']);
    expect(['ada', 'ada7', 'łu', '', 'a-b'].filter(isAsciiLetters)).to.deep.equal(['ada']);
  });

  it('find every beginning of the email that consists of letters', () => {
    const name = fc.stringMatching(/^[a-d]{1,3}( [a-d]{1,3})?$/);
    const email = fc.stringMatching(/^[a-d]{0,5}[1._]?[a-d]{0,2}[1]@[a-d]{1,4}[.]org$/);
    fc.assert(
      fc.property(name, name, email, (firstName, lastName, address) => {
        const account = { email: address, ...userKeys({ firstName, lastName, email: address }) };
        const indexed = [account.firstNameKey, account.lastNameKey, address.slice(address.indexOf('@') + 1)];
        const found = [...indexed, ...storedWords(account)];
        for (let end = 1; isAsciiLetters(address.slice(0, end)); end += 1)
          expect(found.some((one) => one.startsWith(address.slice(0, end)))).to.equal(true);
      }),
      { numRuns: atDepth(300, 3000) },
    );
  });

  it('are truncated to the length of their column, in whole characters', () => {
    const [word = ''] = wordsOf('a', `b ${'🦊'.repeat(80)}`, 'c@example.org');
    expect(Array.from(word)).to.have.length(wordLength);
    expect(word.isWellFormed()).to.equal(true);
    expect(searchedWords('x'.repeat(100))).to.deep.equal([['x'.repeat(wordLength)]]);
  });

  it('of a search are split at spaces and commas, without duplicates and leading separators', () => {
    expect(searchedWords(' Ada  LOVELACE ada @example.org ')).to.deep.equal([['ada'], ['lovelace'], ['example.org']]);
    expect(searchedWords("anne-marie o'hara")).to.deep.equal([['anne-marie'], ["o'hara"]]);
    for (const text of ['Lovelace, Ada', 'Lovelace,Ada', ',Lovelace ,Ada,', 'Lovelace， Ada'])
      expect(searchedWords(text), text).to.deep.equal([['lovelace'], ['ada']]);
    for (const text of ['', '-', "@ '", ', ,']) expect(searchedWords(text), text).to.deep.equal([]);
  });

  it('of a search have the spellings with and without an umlaut', () => {
    for (const [text, words] of [
      ['Müller', ['muller', 'mueller']],
      ['Mu\u0308ller', ['muller', 'mueller']],
      ['MUELLER', ['mueller', 'muller']],
      ['Guenther', ['guenther', 'gunther']],
      ['Jørgen', ['jorgen', 'joergen']],
      ['Größe', ['grosse', 'groesse']],
      ['Schaefer', ['schaefer', 'schafer']],
      // No umlauts.
      ['Bauer', ['bauer']],
      ['Marquez', ['marquez']],
      ['Zoe', ['zoe']],
      ['Sue', ['sue']],
    ] as const)
      expect(searchedWords(text), text).to.deep.equal([words]);
  });
});
