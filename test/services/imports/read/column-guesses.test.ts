import { expect } from 'chai';
import { mapColumns } from '../../../../src/services/imports/read/columns.js';
import { failureOf } from '../../../db/support/failure.js';

/** The options that the refusal of a header proposes. */
async function proposals(header: readonly string[], ...rows: readonly (readonly string[])[]): Promise<string[]> {
  const { message } = await failureOf(() => mapColumns(header, [], rows));
  const [, options = ''] = /Did you mean (.*?)\? (Not understood|The columns)/.exec(message) ?? [];
  return [...options.matchAll(/--map "([^"]*)"/g)].map(([, option = '']) => option);
}

describe('What a column may be that is not understood', () => {
  it('is found by the words of its heading, in any language', async () => {
    for (const [header, expected] of [
      [
        ['Timestamp', 'Email Address', 'What is your first name?', 'Last name (as on ID)', 'Phone number (with code)'],
        ['What is your first name?=firstName', 'Last name (as on ID)=lastName', 'Phone number (with code)=phone'],
      ],
      [
        ['Wie lautet Ihr Vorname?', 'Familienname laut Ausweis', 'Handy-Nr.', 'Dienstmail'],
        [
          'Wie lautet Ihr Vorname?=firstName',
          'Familienname laut Ausweis=lastName',
          'Handy-Nr.=phone',
          'Dienstmail=email',
        ],
      ],
      [
        ['Quel est votre prénom ?', 'Votre nom de famille', 'Adresse courriel (privée)', 'Votre numéro de téléphone'],
        [
          'Quel est votre prénom ?=firstName',
          'Votre nom de famille=lastName',
          'Adresse courriel (privée)=email',
          'Votre numéro de téléphone=phone',
        ],
      ],
      [
        ['¿Cuál es tu nombre?', 'Tus apellidos', 'Tu correo electrónico', 'Celular con lada'],
        [
          '¿Cuál es tu nombre?=firstName',
          'Tus apellidos=lastName',
          'Tu correo electrónico=email',
          'Celular con lada=phone',
        ],
      ],
      [
        ['Qual é o seu nome completo?', 'Seu e-mail', 'Seu telemóvel'],
        ['Qual é o seu nome completo?=fullName', 'Seu e-mail=email', 'Seu telemóvel=phone'],
      ],
      [
        ['ما هو الاسم الكامل', 'البريد الإلكتروني للمتدرب', 'رقم الجوال مع المفتاح'],
        ['ما هو الاسم الكامل=fullName', 'البريد الإلكتروني للمتدرب=email', 'رقم الجوال مع المفتاح=phone'],
      ],
    ] as const)
      expect(await proposals(header), header.join()).to.deep.equal(expected);
  });

  it('is found by the look of its values, where the words say nothing', async () => {
    expect(
      await proposals(['firstName', 'lastName', 'Kontakt', 'Rufzeichen'], ['Ada', 'King', 'a@b.org', '0151 1601234']),
    ).to.deep.equal(['Kontakt=email', 'Rufzeichen=phone']);
    const azure = [
      'User name [userPrincipalName] Required',
      'First name [givenName]',
      'Last name',
      'Mobile phone [mobile]',
    ];
    expect(await proposals(azure, ['ann@corp.example', 'Ann', 'Lee', '+44 7700 900231'])).to.deep.equal([
      'User name [userPrincipalName] Required=email',
    ]);
  });

  it('is never found by its position, nor by words about something else', async () => {
    const known = ['firstName', 'lastName', 'email'];
    for (const [heading, ...values] of [
      ['sis_id', '100014', '100015'],
      ['Student number', '00012345'],
      ['Date of birth', '12.03.1999', '01.01.2001'],
      ['Last login', '2026-03-01 10:00:00'],
      ['SSN', '123-45-6789'],
      ['Amount', '1200.50'],
      ['IP address', '192.168.100.123'],
      ['Emergency phone', '+49 151 1601'],
      ['Mobile phone of the mother', '+49 151 1601'],
      ['Device (mobile)', 'Pixel'],
    ] as const)
      expect(
        await proposals([...known, heading], ...values.map((value) => ['Ada', 'King', 'a@b.org', value])),
        heading,
      ).to.deep.equal([]);
    for (const heading of ['Company name', 'Username', 'Event name', 'Parent name', 'Benutzername', 'Last sign-in'])
      expect(await proposals(['email', 'phone', heading], ['a@b.org', '1', 'Acme']), heading).to.deep.equal([]);
    expect(await proposals(['Name', 'Guardian email', 'phone'], ['Ada King', 'a@b.org', '1'])).to.deep.equal([]);
  });

  it('without phones in any column, is said to be missing', async () => {
    const { message } = await failureOf(() =>
      mapColumns(['first_name', 'last_name', 'email', 'sis_id'], [], [['Ann', 'Lee', 'ann@corp.example', '100014']]),
    );
    expect(message).to.match(/^The file has no phone column: add one, or name the column that has it with --map/);
    expect(message).not.to.include('sis_id=');
  });
});
