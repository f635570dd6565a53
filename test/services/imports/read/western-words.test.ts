import { expect } from 'chai';
import iconv from 'iconv-lite';
import { inspectFile } from '../../../../src/services/imports/read/inspect.js';
import { failureOf } from '../../../db/support/failure.js';
import { chunks } from '../support/csv-text.js';
import { useImporting } from '../support/importing.js';

const file = (names: readonly string[]) =>
  ['Vorname;Nachname;E-Mail;Telefon', ...names.map((name, at) => `${name.replace(' ', ';')};a${at}@x.org;+1 ${at}`)]
    .map((line) => `${line}\r\n`)
    .join('');

const western = {
  German: ['Jürgen Groß', 'Zoë Müller', 'Änne Weiß', 'MÜLLER GRÖßE', 'Jörg Kößler-Öhm'],
  French: ['Hélène Lefèvre', 'François Brûlé', 'Maëlle L’Hôpital', 'Éléonore Goûté', 'Loïc Œuvrard', 'Anaïs Créée'],
  Spanish: ['José Núñez', 'Mª Ángeles', 'Íñigo Güell', 'Iñaki Peña', 'Rocío Víctor'],
  Catalan: ['Mònica Solé', 'Àngels Cèlia', 'Òscar Agustí'],
  Portuguese: ['João Conceição', 'Antônio Guimarães', 'Inês Simões', 'Ângela Magalhães', 'Álvaro Camões'],
  Italian: ['Niccolò Zanobì', 'Però Forlì'],
  Danish: ['Søren Kjær', 'Åse Nørgaard', 'Jørgen Ågård', 'Ærø Bæk'],
  Faroese: ['Jákup Høgadal', 'Óli Jákupsson', 'Bárður Øssursson'],
  Swedish: ['Åsa Öström', 'Håkan Sjöström', 'Märta Ängström'],
  Finnish: ['Päivi Hämäläinen', 'Väinö Määttä', 'Yrjö Äyräs'],
  Estonian: ['Jüri Põldmäe', 'Õie Jäääär', 'Ülle Võsu', 'Žanna Šõgina', 'Külli Mägi', 'Märt Öövel', 'Tõnu Kääri'],
  Icelandic: ['Þór Sigurðsson', 'Guðrún Þórðardóttir', 'Friðþjófur Ásgeirsson', 'Ýr Ævarsdóttir', 'Jón Züri'],
  Irish: ['Tadhg hÉanaí', 'Séamus hÓgáin', 'Órla Súilleabháin'],
  Dutch: ['Daniël Coördinator', 'Loïs België'],
};

const others = {
  'windows-1250': {
    Polish: ['Łukasz Żółć', 'Paweł Świątek', 'Michał Kowalewski', 'Grażyna Wiśniewska'],
    Czech: ['Jiří Dvořák', 'Žaneta Nováková', 'Tomáš Horáček', 'Růžena Němcová'],
    Slovene: ['Žiga Župančič', 'Špela Kovačič'],
    Croatian: ['Ana Knežević', 'Ivan Jovanović'],
    Hungarian: ['Győző Szűcs', 'Zsófia Erdősné', 'Jenő Vörös'],
    Romanian: ['Ana Ioniță'.replace('ț', 'ţ'), 'Ion Niţulescâ'],
  },
  'windows-1251': { Russian: ['Иван Петров', 'Лев Толстой'] },
  'windows-1253': { Greek: ['Γιώργος Παπαδόπουλος'] },
  'windows-1254': { Turkish: ['Şükrü Yıldız', 'İpek Çağlar'] },
  'windows-1255': { Hebrew: ['דוד כהן'] },
  'windows-1256': { Arabic: ['محمد العربي'] },
  'koi8-r': { Russian: ['Иван Петров', 'Сергей Сидоров'] },
  macroman: {
    German: ['Jürgen Groß', 'Zoë Müller', 'Björn Käfer'],
    French: ['René Lefébure', 'André Stéphane'],
    Spanish: ['José Hernández', 'María González'],
  },
  big5: { Chinese: ['小龍 李小'] },
  gbk: { Chinese: ['李小 王明'] },
  shift_jis: { Japanese: ['太郎 山田太'] },
};

const inspect = (bytes: Buffer, size = bytes.length) =>
  inspectFile(chunks(bytes, new Array<number>(Math.ceil(bytes.length / size)).fill(size)));
const refusal = /^The file is not UTF-8: line 2, byte \d+ can't be decoded, and its encoding can't be detected\. /;

describe('A file in an 8-bit code page', () => {
  for (const [language, names] of Object.entries(western))
    it(`is read as Windows-1252 where its words are ${language}`, async () => {
      for (const some of [names, ...names.map((name) => [name])]) {
        if (language === 'Estonian' && some.length === 1) continue;
        const bytes = iconv.encode(file(some), 'windows-1252');
        for (const size of [1, 5, 1000])
          expect((await inspect(bytes, size)).encoding, some[0]).to.be.oneOf(['windows-1252', 'utf-8']);
      }
    });

  for (const [encoding, languages] of Object.entries(others))
    for (const [language, names] of Object.entries(languages))
      it(`is refused where it is ${encoding} and its words are ${language}`, async () => {
        const bytes = iconv.encode(file(names), encoding);
        for (const size of [1, 5, 1000]) {
          const failure = await failureOf(() => inspect(bytes, size));
          expect(failure).to.include({ code: 'IMPORT_FILE_INVALID' });
          expect(failure.message).to.match(refusal);
        }
      });

  it('is judged by most of its words, not by one', async () => {
    const names = [...Array.from({ length: 20 }, () => 'Jürgen Groß'), 'Łukasz Kowal'];
    const bytes = iconv.encode(file(names).replace('Ł', '£'), 'windows-1252');
    expect((await inspect(bytes)).encoding).to.equal('windows-1252');
  });

  it('is not judged by words that are too long to be names', async () => {
    const bytes = Buffer.concat([Buffer.from('a,b\n'), Buffer.alloc(2_000_000, 0xe9), Buffer.alloc(2_000_000, 0x61)]);
    expect((await inspect(bytes, 65_536)).encoding).to.equal('windows-1252');
  });
});

describe('An import of a file in another code page', () => {
  const importing = useImporting();

  it('writes nothing, unless its encoding is named', async () => {
    const path = importing.write('people.csv', iconv.encode(file(['Иван Петров']), 'windows-1251'));
    const refused = await importing.run(path, '--yes');
    expect(refused.exitCode).to.equal(2);
    expect(refused.stderr).to.include('Save it as "CSV UTF-8", or name its encoding with --encoding.');
    expect(await importing.context.database.models.User.count()).to.equal(0);
    const { counts } = await importing.json(path, '--encoding', 'windows-1252');
    expect(counts).to.include({ created: 1 });
  });
});
