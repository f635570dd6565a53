import { expect } from 'chai';
import fc from 'fast-check';
import { type MailLanguage, mailLanguages } from '../../../src/config/mail-settings.js';
import { common as german } from '../../../src/console/i18n/de/common.js';
import { common as english } from '../../../src/console/i18n/en/common.js';
import { mailKindNames } from '../../../src/schemas/mail.js';
import { newsKinds } from '../../../src/schemas/mail-preferences.js';
import type { MailKind } from '../../../src/services/mail/kinds.js';
import type { MailContent } from '../../../src/services/mail/mail-content.js';
import { renderMail } from '../../../src/services/mail/render.js';

const place = { programme: 'Spring Academy', publicUrl: 'https://courses.example.org' };
const hourMs = 3_600_000;
const expiresAt = new Date('2026-12-05T14:03:00Z');
const link = 'https://courses.example.org/set-password#A1b2-_C3';
const certificate = '7K2M-9QWX-0D4T-ZB6N-H3VE-8RSA-1CPJ';
const course = { course: 'Databases for beginners', courseId: 'c-1' };

/** Content of each kind of mail, with a first name for all people and a title for all courses. */
function contents(firstName: string, title: string): { [K in MailKind]: MailContent<K> } {
  const named = { firstName, course: title, courseId: course.courseId };
  return {
    invitation: {
      kind: 'invitation',
      firstName,
      link,
      expiresAt,
      email: 'anna@example.org',
      message: 'Welcome!\nMonday, 9:00',
      signInWith: null,
    },
    reset: { kind: 'reset', firstName, link, lifetimeMs: hourMs },
    'email-confirm': { kind: 'email-confirm', link, lifetimeMs: 24 * hourMs },
    'email-notice': { kind: 'email-notice', firstName, newEmail: 'new@example.org', link, lifetimeMs: 7 * 24 * hourMs },
    'email-changed': { kind: 'email-changed', firstName, newEmail: 'new@example.org' },
    'password-changed': { kind: 'password-changed', firstName },
    'role-transferred': { kind: 'role-transferred', firstName, isNew: true, other: firstName },
    'sync-held': { kind: 'sync-held', firstName, group: title, file: 'people.csv', leaving: 14, members: 120 },
    test: { kind: 'test' },
    enrolled: { kind: 'enrolled', ...named, reply: null },
    accepted: { kind: 'accepted', ...named, reply: 'Bring a pen.' },
    moved_up: { kind: 'moved_up', ...named, reply: null, isPending: true },
    refused: { kind: 'refused', ...named, reply: 'Please ask again in May.' },
    completed: { kind: 'completed', ...named, reply: null, certificate },
    requests: { kind: 'requests', firstName, courses: [{ title, courseId: 'c-1', count: 2 }], more: 3 },
  };
}

const usual = contents('Anna', course.course);

/** Renders mails of the given kinds, by default all, in all languages. */
function rendered(all = usual, kinds: readonly MailKind[] = mailKindNames) {
  return mailLanguages.flatMap((language) =>
    kinds.map((kind) => ({
      kind,
      language,
      mail: renderMail(all[kind], language, place),
      name: `${kind} (${language})`,
    })),
  );
}

const render = (content: MailContent, language: MailLanguage = 'en') => renderMail(content, language, place);

const hrefs = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);

describe('Mail templates', () => {
  it('show the whole content of each kind in each language, in lines that fit', () => {
    for (const { mail, language, name } of rendered()) {
      const { subject, text, html } = mail;
      expect(subject.length, name).to.be.within(10, 78);
      for (const part of [subject, text, html])
        expect(part, name).to.not.match(/undefined|null|\[object|Invalid Date|NaN/);
      expect(text.split('\n').every((line) => line.length <= 100)).to.equal(true);
      expect(html, name).to.include(`<html lang="${language}">`);
      expect(text, name).to.include(`${place.programme}\n${place.publicUrl}`);
      expect(html, name).to.include(`${place.programme}<br>\n${place.publicUrl}`);
    }
  });

  it('name the programme or the course in the subject', () => {
    for (const { mail, name } of rendered())
      expect(mail.subject, name).to.match(/Spring Academy|Databases for beginners/);
  });

  it('have the same parts in every language', () => {
    for (const kind of mailKindNames) {
      const mails = mailLanguages.map((language) => render(usual[kind], language));
      for (const part of ['subject', 'text', 'html'] as const)
        expect(new Set(mails.map((mail) => mail[part])).size, `${part} of ${kind}`).to.equal(mailLanguages.length);
    }
  });

  it('show the secret link as a line of the text, and as a button and as text in HTML', () => {
    const withLink = mailKindNames.filter((kind) => 'link' in usual[kind]);
    expect(withLink).to.have.members(['reset', 'email-confirm', 'email-notice', 'invitation']);
    for (const { mail, name } of rendered(usual, withLink)) {
      expect(hrefs(mail.html), name).to.deep.equal([link]);
      expect(mail.html.split(link), name).to.have.length(3);
      expect(
        mail.text.split('\n').filter((line) => line.includes(link)),
        name,
      ).to.deep.equal([link]);
    }
  });

  it('name the lifetime of a link, or the expiry day of an invitation, and never a time of day', () => {
    const times = {
      en: {
        reset: 'for 1 hour after this mail was sent, and only once',
        'email-confirm': 'for 24 hours after this mail was sent',
        'email-notice': 'for 7 days after this mail was sent',
        invitation: 'before 5 December 2026',
      },
      de: {
        reset: 'ab dem Versand dieser E-Mail 1 Stunde lang und nur einmal',
        'email-confirm': 'ab dem Versand dieser E-Mail 24 Stunden lang',
        'email-notice': 'ab dem Versand dieser E-Mail 7 Tage lang',
        invitation: 'vor dem 5. Dezember 2026',
      },
    };
    const kinds = ['reset', 'email-confirm', 'email-notice', 'invitation'] as const;
    for (const language of mailLanguages)
      for (const kind of kinds) {
        const { text, html } = render(usual[kind], language);
        for (const part of [text, html])
          expect(part.replace(/\s+/g, ' '), kind).to.include(times[language][kind]).and.not.include('UTC');
      }
    expect(render({ ...usual.reset, lifetimeMs: hourMs * 1.5 }).text).to.include('for 90 minutes after');
  });

  it('quote the label on the sign-in page for a new invitation link', () => {
    const label = { en: english.signIn.noPassword, de: german.signIn.noPassword };
    for (const language of mailLanguages)
      expect(render(usual.invitation, language).text.replace(/\s+/g, ' ')).to.include(label[language]);
  });

  it("name the organisation's account in invitations without a link, in lines that fit", () => {
    const withAccount = { ...usual.invitation, link: '', signInWith: 'Example Account' };
    const signIn = 'https://courses.example.org/sign-in';
    for (const language of mailLanguages) {
      const { text, html } = render(withAccount, language);
      expect(hrefs(html)).to.deep.equal([signIn]);
      expect(text.split('\n')).to.include(signIn);
      expect(text.split('\n').every((line) => line.length <= 100)).to.equal(true);
      for (const part of [text, html])
        expect(part.replace(/\s+/g, ' '))
          .to.include('Example Account')
          .and.include('Welcome!')
          .and.not.match(/2026|undefined|null|set-password/);
    }
  });

  it('link from news to the course, certificate or requests, and to the settings of news', () => {
    const settings = 'https://courses.example.org/profile';
    const paths = { requests: 'enrollments?status=pending', completed: `certificates/${certificate}` };
    for (const { mail, kind, name } of rendered(usual, newsKinds)) {
      const path = kind === 'requests' || kind === 'completed' ? paths[kind] : 'courses/c-1';
      expect(hrefs(mail.html), name).to.deep.equal([`https://courses.example.org/${path}`, settings]);
      expect(mail.text.split('\n'), name).to.include.members([`https://courses.example.org/${path}`, settings]);
    }
    const others = mailKindNames.filter((kind) => !newsKinds.some((news) => news === kind));
    for (const { mail, name } of rendered(usual, others)) expect(mail.text + mail.html, name).to.not.include(settings);
  });

  it('prevent markup, headers, lines and links in text of users', () => {
    const typed = `<script>alert("1")</script> & 'x'\r\n\r\nBcc: b@evil.example\n\u2028\u202ecba\u202c https://evil.example www.evil.example`;
    for (const { mail, kind, language, name } of rendered(contents(typed, typed))) {
      const { subject, text, html } = mail;
      expect(subject, name).to.not.match(/[\p{Cc}\p{Zl}\p{Zp}]/u);
      expect(text.split('\n\n'), name).to.have.length(render(usual[kind], language).text.split('\n\n').length);
      expect(html, name).to.not.match(/<script/);
      for (const part of [subject, text, html]) {
        expect(part, name).to.not.match(/[\u202a-\u202e\u2066-\u2069\u2028]/u);
        expect(part, name).to.not.match(/:\/\/evil|www\.evil|evil\.example/);
      }
      if (kind !== 'test' && kind !== 'email-confirm') {
        expect(html, name).to.include('&lt;script&gt;alert(');
        expect(text, name).to.include('<script>alert("1")</script> &');
      }
    }
  });

  it('keep ordinary titles unchanged', () => {
    const title = "Python 3.12 & C++: an O'Reilly introduction, pt. 2, 12.05.2026 10:30...";
    expect(render({ ...usual.enrolled, course: title }).subject).to.equal(`You have a place in “${title}”`);
  });

  it('break all marks of links in text of users without a visible change', () => {
    const marks = ['.', '。', '．', '｡', '․', '/', '//', '\\\\', ':', '@', '=?', ' ', '-', '\u200d'];
    const words = [
      'evil',
      'www',
      'example',
      'Kurs',
      '203',
      '0',
      '113',
      '9',
      'mailto',
      'tel',
      'xn--a',
      '例え',
      'ф',
      '[',
      ']',
    ];
    const typed = fc.array(fc.constantFrom(...marks, ...words), { minLength: 2, maxLength: 14 });
    // Patterns by which mail programs find links. A domain ignores zero-width joiners.
    const links = [
      /\S[.。．｡․]\u200d*[\p{L}\p{So}]/u,
      /[^\s\p{N}.。．｡․][.。．｡․]\p{N}/u,
      /\p{N}(?:[.。．｡․]\p{N}+){3}/u,
      /\/\/|\\\\|=\?|\S@\S|\p{L}:\S/u,
    ];
    const property = fc.property(typed, (parts) => {
      const title = parts.join('').trim();
      const { subject, text, html } = render({ ...usual.enrolled, course: title });
      for (const part of [
        subject,
        text.split('https://')[0],
        html
          .match(/<p>.*<\/p>/g)
          ?.join()
          .replace(/<\/?p>/g, ''),
      ])
        for (const link of links) expect(part?.replaceAll('\u200b', ' ')).not.to.match(link);
      expect(subject.replaceAll('\u200b', '')).to.equal(`You have a place in “${title}”`);
    });
    fc.assert(property, { numRuns: 1000 });
    for (const title of [
      '203.0.113.9/pay',
      'evil。example/x',
      'a@evil',
      'mailto:x',
      '\\\\evil\\share',
      '=?utf-8?B?eA==?=',
    ])
      expect(render({ ...usual.enrolled, course: title }).text).not.to.include(title);
  });

  it('escape a hostile link and id', () => {
    const { html } = render({ ...usual.reset, link: 'https://x.example/"><script>' });
    expect(hrefs(html)).to.deep.equal(['https://x.example/&quot;&gt;&lt;script&gt;']);
    expect(hrefs(render({ ...usual.enrolled, courseId: '../"?' }).html)[0]).to.equal(
      'https://courses.example.org/courses/..%2F%22%3F',
    );
  });

  it('show messages line by line as written, without markup', () => {
    const written = 'Bring <b>this</b>:\r\n\r\nhttps://example.org/room \u202eand\0"that"';
    const invitation = { ...usual.invitation, message: written };
    const replied = (['enrolled', 'accepted', 'refused', 'completed'] as const).map((kind) => ({
      ...usual[kind],
      reply: written,
    }));
    for (const { text, html } of [invitation, ...replied].flatMap((one) => [render(one), render(one, 'de')])) {
      expect(text).to.include('\n\nBring <b>this</b>:\n\nhttps://example.org/room and "that"\n\n');
      expect(html).to.include('>Bring &lt;b&gt;this&lt;/b&gt;:<br>\n<br>\nhttps://example.org/room and "that"</p>');
    }
  });

  it('omit empty messages and replies', () => {
    const without = [
      usual.enrolled,
      usual.completed,
      { ...usual.accepted, reply: null },
      { ...usual.refused, reply: null },
    ];
    for (const content of [{ ...usual.invitation, message: null }, ...without])
      expect(render(content).text).to.not.match(/message|reply|null/i);
  });

  it('wrap long lines of a message between words, and long words before the limit of a line', () => {
    const message = `${'word '.repeat(500)}${'x'.repeat(3000)} https://example.org/${'y'.repeat(90)}`;
    const { text } = render({ ...usual.invitation, message });
    expect(Math.max(...text.split('\n').map((line) => line.length))).to.be.below(998);
    expect(text.replace(/\n/g, '').match(/x{100,}/)?.[0]).to.have.length(3000);
    expect(text).to.include(`https://example.org/${'y'.repeat(90)}`);
  });

  it('show no text of users in the confirmation of an address', () => {
    const { text } = render(usual['email-confirm']);
    expect(text).to.match(/^Hello,\n\nSomebody wants to use this address/);
  });

  it('distinguish the former and the new super admin', () => {
    for (const language of mailLanguages) {
      const [toNew, toOld] = [true, false].map((isNew) => render({ ...usual['role-transferred'], isNew }, language));
      expect(toNew?.subject).to.not.equal(toOld?.subject);
      expect(toNew?.text).to.not.equal(toOld?.text);
    }
  });

  it('show the number of requests and of courses that are not listed', () => {
    const courses = [
      { title: 'Databases', courseId: 'c-1', count: 1 },
      { title: 'Networks', courseId: 'c-2', count: 12 },
    ];
    const english = render({ ...usual.requests, courses, more: 4 }).text;
    expect(english)
      .to.include('- Databases: 1 request\n- Networks: 12 requests\n')
      .and.include('4 more of your courses');
    const german = render({ ...usual.requests, courses, more: 0 }, 'de').text;
    expect(german).to.include('- Databases: 1 Anfrage\n- Networks: 12 Anfragen\n').and.not.include('weiteren');
  });
});
