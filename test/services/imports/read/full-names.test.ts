import { expect } from 'chai';
import { isLastNameFirst, nameHalves } from '../../../../src/services/imports/read/full-names.js';

describe('A full name is split', () => {
  const halves = (name: string) => {
    const found = nameHalves(name);
    return found && `${found.firstName} | ${found.lastName}${found.isGuess ? ' ?' : ''}`;
  };

  for (const [why, names] of Object.entries({
    'before its last word': {
      'Ada King': 'Ada | King',
      'Dr. Anna Müller': 'Dr. Anna | Müller ?',
      'Jack Ma': 'Jack | Ma',
    },
    'before particles': {
      'Jean-Luc de la Fontaine': 'Jean-Luc | de la Fontaine ?',
      'Ludwig van Beethoven': 'Ludwig | van Beethoven ?',
      'Mohammed bin Salman': 'Mohammed | bin Salman ?',
      'Maria del Carmen López': 'Maria del Carmen | López ?',
      'Al Gore': 'Al | Gore',
    },
    'with suffixes in the last name': {
      'John Smith Jr.': 'John | Smith Jr. ?',
      'Sara Smith PhD': 'Sara | Smith PhD ?',
      'Müller Anna (Ann)': 'Müller | Anna (Ann) ?',
      'Henry van Dyke II': 'Henry | van Dyke II ?',
      'John Smith, Jr.': 'John | Smith Jr. ?',
    },
    'at a comma, with the last name first': {
      'King, Ada': 'Ada | King',
      'Berg, Pieter van der': 'Pieter | van der Berg ?',
      'de la Cruz, María José': 'María José | de la Cruz ?',
    },
    'behind a last name in capitals or in an East Asian script': {
      'DUPONT Jean': 'Jean | DUPONT ?',
      'de LA TOUR Anne': 'Anne | de LA TOUR ?',
      'GARCÍA LÓPEZ María José': 'María José | GARCÍA LÓPEZ ?',
      '山田\u3000太郎': '太郎 | 山田 ?',
      'ジョン スミス': 'ジョン | スミス',
      'JP Morgan': 'JP | Morgan',
      'ADA KING': 'ADA | KING',
    },
  }))
    it(why, () => {
      for (const [name, expected] of Object.entries(names)) expect(halves(name), name).to.equal(expected);
    });

  it('unless it has no two halves', () => {
    for (const name of ['', 'Sukarno', 'King,', ', Ada', 'King, Ada, PhD', 'x '.repeat(500)])
      expect(halves(name), name).to.equal(undefined);
  });

  it('behind the last name where the heading says so', () => {
    const lastFirst = [
      'Nom et prénom',
      'Nachname, Vorname',
      'Apellidos y nombre',
      'Last name, first name',
      'Név',
      'ФИО',
    ];
    for (const heading of lastFirst) expect(isLastNameFirst(heading), heading).to.equal(true);
    for (const heading of ['Name', 'Full name', 'Prénom et nom', 'Nombre y apellidos', 'First and last name'])
      expect(isLastNameFirst(heading), heading).to.equal(false);
    const names = { 'Dupont Jean': 'Jean | Dupont', 'de la Tour Anne': 'Anne | de la Tour', 'King, Ada': 'Ada | King' };
    for (const [name, expected] of Object.entries(names)) {
      const found = nameHalves(name, true);
      expect(`${found?.firstName} | ${found?.lastName}`).to.equal(expected);
    }
  });
});
