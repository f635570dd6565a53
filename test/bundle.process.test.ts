import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { builtProgram, run, useBuiltProgram } from './support/built-program.js';

const imported = (text: string) => Array.from(text.matchAll(/\bfrom\s+"([^"]+)"/g), ([, name = '']) => name);

describe('The bundle', () => {
  const built = useBuiltProgram();
  const source = (file: string) => readFileSync(path.join(built.path, 'dist', file), 'utf8');
  const scripts = () => readdirSync(path.join(built.path, 'dist')).filter((name) => name.endsWith('.js'));

  it('has separately started files at the same paths as the source', () => {
    const names = ['db/sqlite/worker.cjs', 'storage/image-worker.mjs', 'services/credentials/bcryptjs-worker.js'];
    for (const name of names) expect(source(name), name).not.to.equal('');
  });

  it('keeps dependencies outside', () => {
    const dependencies = new Set(scripts().flatMap((name) => imported(source(name))));
    expect([...dependencies]).to.include.members(['commander', 'express', 'joi', 'sequelize']);
  });

  it('exports the functions of migrations and seeders under stable names', async () => {
    const program = "console.log(Object.keys(await import('./dist/for-migrations.js')).sort().join())";
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], await builtProgram());
    expect(stdout).to.equal(
      'AppError,certificateCode,indexedWords,loadConfig,phoneKey,searchKey,sequelizeOptions,sortKey,storedWords\n',
    );
  });

  it('contains bcryptjs in the file that hashes', async () => {
    const program = `
      const { compare, hash } = await import('./dist/services/credentials/bcryptjs-worker.js');
      console.log(compare({ password: 'secret', hash: hash({ password: 'secret', cost: 4 }) }));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], await builtProgram());
    expect(stdout).to.equal('true\n');
  });
});
