import { expect } from 'chai';
import { useImporting } from '../../support/importing.js';

describe('A column with languages', () => {
  const importing = useImporting();
  const languages = async () =>
    (await importing.models().User.findAll({ order: ['email'] })).map(({ language }) => language);

  it('sets the language of mails by code, locale or word; other values mean the default language', async () => {
    const words = ['de', 'English', 'Deutsch', 'de-AT', 'en_GB.UTF-8', 'Allemand', 'Français', 'fr', ''];
    const rows = words.map((word, index) => `Ada,King,a${index}@x.org,+1 ${index},${word}\n`);
    const file = importing.write('people.csv', `Vorname,Nachname,E-Mail,Telefon,Sprache\n${rows.join('')}`);
    const { counts } = await importing.json(file);
    expect(counts).to.include({ created: words.length, rejected: 0 });
    expect(await languages()).to.deep.equal(['de', 'en', 'de', 'de', 'en', 'de', null, null, null]);
  });

  it('updates accounts, is exported, and can be undone', async () => {
    const header = 'firstName,lastName,email,phone';
    const first = importing.write('first.csv', `${header}\nAda,King,ada@x.org,+1 1\nBen,Low,ben@x.org,+1 2\n`);
    await importing.json(first);
    const second = importing.write(
      'second.csv',
      `${header},language\nAda,King,ada@x.org,+1 1,German\nBen,Low,ben@x.org,+1 2,\n`,
    );
    const { number, counts } = await importing.json(second, '--on-existing', 'update');
    expect(counts).to.include({ updated: 1, skipped: 1 });
    expect(await languages()).to.deep.equal(['de', null]);
    const exported = importing.write('exported.csv', (await importing.cli('users', 'export')).stdout);
    expect((await importing.json(exported, '--on-existing', 'update')).counts).to.include({ updated: 0, skipped: 2 });
    await importing.cli('imports', 'undo', String(number), '--yes');
    expect(await languages()).to.deep.equal([null, null]);
  });
});
