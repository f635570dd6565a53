import { expect } from 'chai';
import { splitFullName } from '../../../src/services/accounts/full-names.js';
import { isLastNameFirst } from '../../../src/services/imports/read/fields/headings.js';

describe('A full name is split', () => {
  const halves = (name: string, lastNameFirst = false) => {
    const found = splitFullName(name, lastNameFirst);
    return found && `${found.firstName} | ${found.lastName}${found.isGuess ? ' ?' : ''}`;
  };

  for (const [why, names] of Object.entries({
    'before its last word': ['Ada | King', 'Dr. Anna | Müller ?', 'Jack | Ma'],
    'before particles': [
      ...['Jean-Luc | de la Fontaine ?', 'Ludwig | van Beethoven ?', 'Mohammed | bin Salman ?', 'Al | Gore'],
      'Maria del Carmen | López ?',
    ],
    'with suffixes in the last name': [
      ...['John | Smith Jr. ?', 'Sara | Smith PhD ?', 'Müller | Anna (Ann) ?', 'Henry | van Dyke II ?'],
    ],
  }))
    it(why, () => {
      for (const expected of names) expect(halves(expected.replace(' | ', ' ').replace(' ?', ''))).to.equal(expected);
    });

  it('at a comma, and after a last name in capitals or in an East Asian script', () => {
    for (const [name, expected] of Object.entries({
      'King, Ada': 'Ada | King',
      'John Smith, Jr.': 'John | Smith Jr. ?',
      'Berg, Pieter van der': 'Pieter | van der Berg ?',
      'de la Cruz, María José': 'María José | de la Cruz ?',
      'DUPONT Jean': 'Jean | DUPONT ?',
      'de LA TOUR Anne': 'Anne | de LA TOUR ?',
      'GARCÍA LÓPEZ María José': 'María José | GARCÍA LÓPEZ ?',
      '山田\u3000太郎': '太郎 | 山田 ?',
      'ジョン スミス': 'ジョン | スミス',
      'JP Morgan': 'JP | Morgan',
      'ADA KING': 'ADA | KING',
    }))
      expect(halves(name), name).to.equal(expected);
  });

  it('unless it has only one part', () => {
    for (const name of ['', 'Sukarno', 'King,', ', Ada', 'King, Ada, PhD', 'x '.repeat(500)])
      expect(halves(name), name).to.equal(undefined);
  });

  it('after the last name if the heading says so', () => {
    for (const heading of [
      'Nom et prénom',
      'Nachname, Vorname',
      'Apellidos y nombre',
      'Last name, first name',
      'Név',
      'ФИО',
    ])
      expect(isLastNameFirst(heading), heading).to.equal(true);
    for (const heading of ['Name', 'Full name', 'Prénom et nom', 'Nombre y apellidos', 'First and last name'])
      expect(isLastNameFirst(heading), heading).to.equal(false);
    expect(halves('Dupont Jean', true)).to.match(/^Jean \| Dupont/);
    expect(halves('de la Tour Anne', true)).to.match(/^Anne \| de la Tour/);
    expect(halves('King, Ada', true)).to.match(/^Ada \| King/);
  });
});
