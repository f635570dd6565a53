import { expect } from 'chai';
import { manPage } from '../scripts/manual.js';
import { settingNames } from '../src/config/settings.js';

describe('The manual page', () => {
  let page = '';
  before(async () => {
    page = await manPage();
  });

  it('has every command with its options and examples, the exit codes and the settings', () => {
    for (const words of ['setup', 'users list', 'courses files add', 'imports rejects'])
      expect(page).to.include(`\n.SS coursectl ${words}\n`);
    expect(page).to.match(/\n {2}\\-\\-port <number> +port to listen on \(default: the setting PORT\)\n/);
    expect(page).to.include('\n  coursectl serve \\-\\-migrate\n');
    expect(page).to.match(/\n\.B 3\nDone in part/);
    for (const name of settingNames) expect(page).to.include(`\n.B ${name}\n`);
  });

  it('contains no formatting requests except its own', () => {
    const requests = page.split('\n').filter((line) => /^[.']/.test(line));
    for (const line of requests) expect(line).to.match(/^\.(TH|SH|SS|PP|TP|B|I|RI|nf|fi)( |$)/);
  });
});
