import { expect } from 'chai';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { isAppError } from '../../../src/errors.js';
import type { CodePage, Encoding } from '../../../src/schemas/file-format.js';
import { DoubtfulEncoding, inspectPeopleFile } from '../../../src/services/imports/read/doubtful-encoding.js';
import { chunks } from '../../services/imports/support/csv-text.js';
import { atDepth } from '../../support/depth.js';

/** Returns a list of people as a spreadsheet saves it. @param names first name, a space, last name */
const list = (names: readonly string[], heading = 'First name;Last name;Email;Phone') =>
  [heading, ...names.map((name, at) => `${name.replace(' ', ';')};p${at}@corp.example;0640 640${10 + at}`)]
    .map((line) => `${line}\r\n`)
    .join('');

const people = (names: string) => names.split(',');

const western = {
  German: 'Jürgen Groß,Zoë Müller,Änne Weiß,Uwe Strauß,MÜLLER GRÖßE,Jörg Kößler-Öhm,Anna Schmidt,Peter Becker',
  'German, with one umlaut': 'Anna Schmidt,Peter Becker,Jürgen Meier,Ute Braun,Max Koch,Eva Wolf',
  'English, with one accent': 'Ann Smith,Bob Jones,José Lopez,Mary Brown,John Ray,Sue Hill',
  French: 'Hélène Lefèvre,François Brûlé,Maëlle L’Hôpital,Éléonore Goûté,Loïc Œuvrard,Anaïs Créée,Chloé Crête',
  Spanish: 'José Núñez,Mª Ángeles,Íñigo Güell,Iñaki Peña,Rocío Víctor,Begoña Ibáñez,Jesús Rodríguez,Sofía Muñoz',
  Catalan: 'Mònica Solé,Àngels Cèlia,Òscar Agustí,Núria Puigcercós,Laia Vilà,Gemma Marquès',
  Portuguese: 'João Conceição,Antônio Guimarães,Inês Simões,Ângela Magalhães,Álvaro Camões,Lúcia Falcão',
  Italian: 'Niccolò Zanobì,Nicolò Forlì,Debora Calà,Gianna Nardò,Elia Cefalù,Luca Rossi',
  Danish: 'Søren Kjær,Åse Nørgaard,Jørgen Ågård,Ærø Bæk,Lærke Sørensen,Mads Møller',
  Norwegian: 'Bjørn Håland,Øyvind Bråten,Pål Sæther,Kåre Østby,Solveig Lødøen,Åshild Næss',
  Faroese: 'Jákup Høgadal,Óli Jákupsson,Bárður Øssursson,Høgni Niclasen',
  Swedish: 'Åsa Öström,Håkan Sjöström,Märta Ängström,Göran Bäckström,Björn Åkesson',
  Finnish: 'Päivi Hämäläinen,Väinö Määttä,Yrjö Äyräs,Terttu Mäkelä,Seppo Järvinen',
  Estonian: 'Jüri Põldmäe,Õie Jääger,Ülle Võsu,Žanna Šõgina,Külli Mägi,Märt Öövel,Tõnu Kääri',
  Icelandic: 'Þór Sigurðsson,Guðrún Þórðardóttir,Friðþjófur Ásgeirsson,Ýr Ævarsdóttir,Jón Jónsson',
  Irish: 'Tadhg hÉanaí,Séamus hÓgáin,Órla Súilleabháin,Seán Byrne',
  Dutch: 'Daniël Coördinator,Loïs België,Zoë Jansen,René Bakker',
  Albanian: 'Elirë Çela,Çlirim Hoxhë,Agim Çeku,Mirëlinda Krasniqi,Përparim Leka,Edi Shyti',
  'beside signs':
    'Mª Ángeles,Nº Cinco,René «Zoë» Lefèvre,Anna m²,Pla Col·lell,Jürgen 5°C,Óscar ¿Él?,Ana ¡Sí!,Ute §§ Groß',
  mixed: 'José García,Jürgen Müller,Zoë Smith,François Petit,Søren Kjær,João Silva,Èric Solà,Begoña Ibáñez',
};

const foreign: Readonly<Record<string, readonly [CodePage, string]>> = {
  Polish: [
    'windows-1250',
    'Łukasz Żółć,Paweł Świątek,Michał Kowalewski,Grażyna Wiśniewska,Jan Dąbrowski,Ewa Zielińska',
  ],
  Czech: ['windows-1250', 'Jiří Dvořák,Žaneta Nováková,Tomáš Horáček,Růžena Němcová,Matěj Kučera,Věra Černá'],
  Slovak: ['windows-1250', 'Ľubomír Kováč,Zuzana Horváthová,Štefan Baláž,Mária Tóthová,Ján Krajčír,Peter Šimko'],
  Slovene: ['windows-1250', 'Žiga Župančič,Špela Kovačič,Matjaž Kralj,Urška Potočnik,Boštjan Hočevar,Nataša Jerič'],
  Croatian: ['windows-1250', 'Ana Knežević,Željko Babić,Šime Đurić,Marija Perić,Krešimir Horvat,Ružica Novaković'],
  Hungarian: ['windows-1250', 'Győző Szűcs,Zsófia Erdősné,Jenő Vörös,László Kovács,Ágnes Tóth,Réka Füstös,Ernő Varga'],
  Romanian: ['windows-1250', 'Ana Ioniţă,Ion Niţulescu,Ştefan Dumitraşcu,Mădălina Bălan,Cătălin Ţepeş,Ileana Mureşan'],
  Russian: ['windows-1251', 'Иван Петров,Лев Толстой,Пётр Сидоров,Анна Кузнецова,Сергей Смирнов,Ольга Иванова'],
  Ukrainian: [
    'windows-1251',
    'Олександр Шевченко,Євген Їжак,Наталія Ковальчук,Андрій Бойко,Іванна Ткачук,Юлія Мельник',
  ],
  Serbian: [
    'windows-1251',
    'Милош Јовановић,Љиљана Петровић,Ђорђе Николић,Јелена Ђорђевић,Никола Шћепановић,Жељко Марић',
  ],
  Greek: [
    'windows-1253',
    'Γιώργος Παπαδόπουλος,Μαρία Αντωνίου,Ελένη Δημητρίου,Κώστας Νικολάου,Άννα Ιωάννου,Νίκος Ρήγας',
  ],
  Turkish: ['windows-1254', 'Şükrü Yıldız,İpek Çağlar,Ayşe Yılmaz,Mehmet Aydın,Emine Şahin,Işık Demir,Uğur Doğan'],
  Hebrew: ['windows-1255', 'דוד כהן,שרה לוי,משה מזרחי,רחל פרץ,יוסף ביטון,מרים אברהם'],
  Arabic: ['windows-1256', 'محمد العربي,فاطمة حسن,أحمد علي,ليلى إبراهيم,خالد عبدالله,نورة السعيد'],
  Lithuanian: [
    'windows-1257',
    'Rūta Žukauskienė,Andrius Šimkus,Eglė Petrauskaitė,Jonas Balčiūnas,Ona Paulė,Giedrė Čepaitė',
  ],
  Latvian: ['windows-1257', 'Jānis Bērziņš,Līga Kalniņa,Andris Ozoliņš,Inese Krūmiņa,Māris Zariņš,Ģirts Āboliņš'],
  Thai: ['windows-874', 'สมชาย ใจดี,สมหญิง รักไทย,ประเสริฐ ศรีสุข,วิไล ทองคำ,อนันต์ แก้วมณี,กมลา สายทอง'],
  'German on a Mac': ['macintosh', 'Jürgen Groß,Zoë Müller,Björn Käfer,Jörg Köhler,Günther Böhm,Käthe Weiß'],
  'Swedish on a Mac': [
    'macintosh',
    'Åsa Öström,Håkan Sjöström,Märta Ängström,Göran Bäckström,Björn Åkesson,Pär Lindström',
  ],
  Japanese: ['shift_jis', '山田 太郎,佐藤 花子,鈴木 一郎,高橋 美咲,田中 健太,伊藤 さくら,ワタナベ ダイスケ'],
  'Simplified Chinese': ['gb18030', '王 小明,李 丽,张 伟,刘 洋,陈 静,杨 帆,赵 敏,黄 海'],
  'Traditional Chinese': ['big5', '王 小明,李 美麗,張 偉,劉 洋,陳 靜宜,楊 帆,趙 敏,黃 志強'],
  Korean: ['euc-kr', '김 민준,이 서연,박 지훈,최 수빈,정 하은,강 도윤,조 예은'],
};

/** Returns the encoding of a file, or the suggested encodings. */
async function readAs(bytes: Buffer, size = bytes.length): Promise<Encoding | Encoding[]> {
  try {
    return (await inspectPeopleFile(chunks(bytes, new Array<number>(Math.ceil(bytes.length / size)).fill(size))))
      .encoding;
  } catch (error) {
    if (!(error instanceof DoubtfulEncoding)) throw error;
    return error.candidates.map(({ encoding }) => encoding);
  }
}

describe('A file in a code page', () => {
  for (const [language, names] of Object.entries(western))
    it(`is read as Windows-1252 if its names are ${language}`, async () => {
      for (const some of [people(names), ...people(names).map((name) => [name])])
        expect(await readAs(iconv.encode(list(some), 'windows-1252'), 5), some.join()).to.be.oneOf([
          'windows-1252',
          'utf-8',
        ]);
    });

  for (const [language, [encoding, names]] of Object.entries(foreign)) {
    it(`is read as ${encoding} if its names are ${language}`, async () => {
      const bytes = iconv.encode(list(people(names)), encoding);
      for (const size of [1, 1000]) expect(await readAs(bytes, size)).to.equal(encoding);
    });
  }

  // Names instead of arbitrary characters, because most code pages define nearly all bytes.
  it('is never misread, whichever of its people it contains: it is read correctly, doubted or refused', async () => {
    const lists = [
      ...Object.values(western).map((names) => ['windows-1252', names] as const),
      ...Object.values(foreign),
    ].map(([encoding, names]) => ({ encoding, names: people(names) }));
    const some = fc.constantFrom(...lists).chain(({ encoding, names }) =>
      fc.record({
        encoding: fc.constant(encoding),
        // "Jšrg Kšhler" alone may be a name.
        names: fc.shuffledSubarray(names, { minLength: /[A-Za-z]/.test(names.join('')) ? 3 : 1 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(some, async ({ encoding, names }) => {
        const bytes = iconv.encode(list(names), encoding);
        const found = await readAs(bytes).catch((error: unknown) => {
          if (!isAppError(error)) throw error;
          return [encoding];
        });
        if (Array.isArray(found)) expect(found).to.include(encoding);
        else expect(iconv.decode(bytes, found)).to.equal(list(names));
      }),
      { numRuns: atDepth(300, 2000) },
    );
  });

  it('is detected from the whole file, not only from its beginning', async () => {
    const german = Array.from({ length: 2000 }, () => 'Jürgen Groß');
    const polish = Array.from({ length: 2000 }, () => people(foreign.Polish?.[1] ?? '')).flat();
    const bytes = iconv.encode(list([...german, ...polish]), 'windows-1250');
    expect(await readAs(bytes, 16 * 1024)).to.equal('windows-1250');
  });

  it('is detected from most of its words, not from a single word', async () => {
    const names = [...Array.from({ length: 30 }, () => 'Jürgen Groß'), '£ukasz Kowal'];
    expect(await readAs(iconv.encode(list(names), 'windows-1252'))).to.equal('windows-1252');
  });

  it('is not detected from words that are too long for names', async () => {
    const bytes = Buffer.concat([Buffer.from('a,b\n'), Buffer.alloc(2_000_000, 0xe9), Buffer.alloc(2_000_000, 0x61)]);
    expect(await readAs(bytes, 65_536)).to.equal('windows-1252');
  });

  it('is refused if its code page is unknown', async () => {
    for (const encoding of ['koi8-r', 'cp866', 'iso-8859-5']) {
      const found = await readAs(iconv.encode(list(people(foreign.Russian?.[1] ?? '')), encoding)).catch(
        (error: unknown) => (isAppError(error) ? error.message : String(error)),
      );
      expect(found, encoding).to.include("its encoding can't be detected");
    }
  });
});
