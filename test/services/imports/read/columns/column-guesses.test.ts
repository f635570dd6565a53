import { expect } from 'chai';
import { mapColumns } from '../../../../../src/services/imports/read/columns/columns.js';
import { failureOf } from '../../../../db/support/failure.js';

/** Options that the refusal of a header suggests. */
async function proposals(header: readonly string[], ...rows: readonly (readonly string[])[]): Promise<string[]> {
  const { message } = await failureOf(() => mapColumns(header, [], rows));
  const [, options = ''] = /Did you mean (.*?)\? (Not understood|The columns)/.exec(message) ?? [];
  return [...options.matchAll(/--map "([^"]*)"/g)].map(([, option = '']) => option);
}

describe('The suggested field of an unknown column', () => {
  it('is found by words of the heading, in any language', async () => {
    for (const expected of [
      'What is your first name?=firstName|Last name (as on ID)=lastName|Phone number (with code)=phone',
      'Wie lautet Ihr Vorname?=firstName|Familienname laut Ausweis=lastName|Handy-Nr.=phone|Dienstmail=email',
      'Quel est votre prénom ?=firstName|Votre nom de famille=lastName|Adresse courriel (privée)=email|Votre numéro de téléphone=phone',
      '¿Cuál es tu primer nombre?=firstName|Tus apellidos=lastName|Tu correo electrónico=email|Celular con lada=phone',
      'Qual é o seu nome completo?=fullName|Seu e-mail=email|Seu telemóvel=phone',
      'ما هو الاسم الكامل=fullName|البريد الإلكتروني للمتدرب=email|رقم الجوال مع المفتاح=phone',
    ]) {
      const options = expected.split('|');
      const header = options.map((option) => option.replace(/=.*/, ''));
      expect(await proposals(['Timestamp', ...header])).to.deep.equal(options);
    }
  });

  it("is found by the values of the column if the heading doesn't help", async () => {
    expect(
      await proposals(['firstName', 'lastName', 'Kontakt', 'Rufzeichen'], ['Ada', 'King', 'a@b.org', '0151 1601234']),
    ).to.deep.equal(['Kontakt=email', 'Rufzeichen=phone']);
  });

  it('is never found by the position of the column, or by words about something else', async () => {
    for (const [heading, value] of [
      ['sis_id', '100014'],
      ['Student number', '00012345'],
      ['Date of birth', '12.03.1999'],
      ['Last login', '2026-03-01 10:00:00'],
      ['SSN', '123-45-6789'],
      ['Amount', '1200.50'],
      ['IP address', '192.168.100.123'],
      ['Emergency phone', '+49 151 1601'],
      ['Mobile phone of the mother', '+49 151 1601'],
      ['Device (mobile)', 'Pixel'],
    ] as const) {
      const header = ['firstName', 'lastName', 'email', heading];
      expect(await proposals(header, ['Ada', 'King', 'a@b.org', value]), heading).to.deep.equal([]);
    }
    for (const heading of ['Company name', 'Username', 'Event name', 'Parent name', 'Benutzername', 'Last sign-in'])
      expect(await proposals(['email', 'phone', heading], ['a@b.org', '1', 'Acme']), heading).to.deep.equal([]);
    expect(await proposals(['Name', 'Guardian email', 'phone'], ['Ada King', 'a@b.org', '1'])).to.deep.equal([]);
  });
});
