import { expect } from 'chai';
import { linkParts } from '../../src/console/ui/link-parts.js';

/** Text whose links are in brackets. */
const marked = (text: string) =>
  linkParts(text)
    .map((part) => (part.href === undefined ? part.text : `[${part.text}]`))
    .join('');

describe('The links of a text', () => {
  for (const [title, text, expected] of [
    ['are addresses of the web', 'See https://a.example/x?y=1#z now', 'See [https://a.example/x?y=1#z] now'],
    ['keep line breaks around them', 'One\nhttp://a.example\ntwo', 'One\n[http://a.example]\ntwo'],
    [
      'are email addresses',
      'Ask anna.b+c@school.example or mailto:b@c.example',
      'Ask [anna.b+c@school.example] or [mailto:b@c.example]',
    ],
    [
      'end before the punctuation of a sentence',
      'Is it https://a.example/b, (https://c.example)?',
      'Is it [https://a.example/b], ([https://c.example])?',
    ],
    ['keep brackets that belong to them', 'https://a.example/Bee_(insect).', '[https://a.example/Bee_(insect)].'],
    ['may occur twice', 'https://a.example https://a.example', '[https://a.example] [https://a.example]'],
    ['are nothing else', 'Room 5, 10:30; C++ & <b>tags</b>, a@b', 'Room 5, 10:30; C++ & <b>tags</b>, a@b'],
    [
      'have no other scheme',
      'javascript:alert(1) data:text/html,x file:///etc ftp://b@a.example',
      'javascript:alert(1) data:text/html,x file:///etc ftp://b@a.example',
    ],
    ['are no Markdown', '[x](https://a.example)', '[x]([https://a.example])'],
    [
      'end before markup and quotes',
      '"https://a.example"<img src=x onerror=run()>',
      '"[https://a.example]"<img src=x onerror=run()>',
    ],
    [
      'show no user name that looks like a host',
      'https://bank.example:x@evil.example/',
      'https://bank.example:x@evil.example/',
    ],
    ['end before characters that turn the text around', 'https://a.example/\u202egpj', '[https://a.example/]\u202egpj'],
    ['need a host', 'http:// https://[ mailto:', 'http:// https://[ mailto:'],
  ] as const)
    it(title, () => {
      expect(marked(text)).to.equal(expected);
      expect(
        linkParts(text)
          .map((part) => part.text)
          .join(''),
      ).to.equal(text);
    });

  it('lead to the same address, or to its mailbox', () => {
    expect(linkParts('HTTPS://A.example')).to.deep.equal([{ text: 'HTTPS://A.example', href: 'HTTPS://A.example' }]);
    expect(linkParts('a@b.example')).to.deep.equal([{ text: 'a@b.example', href: 'mailto:a@b.example' }]);
  });

  it('are found in a long hostile text without delay', () => {
    const start = performance.now();
    for (const unit of ['a', 'a@', 'a.', 'a@a.', 'https://', ')', 'https://a.example/(('])
      linkParts(`${unit.repeat(10_000 / unit.length)}!`);
    linkParts(`https://a.example/${')'.repeat(10_000)}`);
    expect(performance.now() - start).to.be.below(1000);
  });
});
