import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { en } from '../../src/console/i18n/en/translations.js';
import { publicPages, routedPages } from './support/pages.js';

const folder = fileURLToPath(new URL('../../src/console', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
const textOf = (file: string) => readFileSync(path.join(folder, file), 'utf8');
const filesWith = (pattern: RegExp) => files.filter((file) => pattern.test(textOf(file)));

describe('The source of the web console', () => {
  it('imports only the generated types from the service', () => {
    const outside = files.flatMap((file) =>
      [...textOf(file).matchAll(/from '(\.[^']+)'/g)]
        .map(([, specifier = '']) => path.posix.join(path.posix.dirname(file), specifier))
        .filter((target) => target.startsWith('..'))
        .map((target) => `${file} -> ${target}`),
    );
    expect(outside.filter((one) => !one.endsWith('-> ../../examples/api-types.js'))).to.deep.equal([]);
  });

  it('has no untranslated text on a page', () => {
    // Text between tags, and visible or spoken attributes.
    const literal = />\s*[A-Za-z][^<>{}=;()]*\s*<\/|\b(label|title|placeholder|aria-label|alt)="[A-Za-z]/;
    expect(filesWith(literal).filter((file) => file.endsWith('.tsx'))).to.deep.equal([]);
  });

  it('loads exactly the translations that a page and its dialogs use', () => {
    const routers = ['app/router.tsx', 'app/public-pages.tsx'];
    /** A file with all its static and dynamic imports, except for other pages. */
    function closureOf(file: string, found = new Set<string>()): Set<string> {
      if (found.has(file) || routers.includes(file) || file.startsWith('i18n/')) return found;
      found.add(file);
      for (const [, specifier = ''] of textOf(file).matchAll(/(?:from|import\()\s*'(\.[^']+)\.js'/g)) {
        const target = path.posix.join(path.posix.dirname(file), specifier);
        const imported = files.find((one) => one === `${target}.tsx` || one === `${target}.ts`);
        if (imported !== undefined) closureOf(imported, found);
      }
      return found;
    }
    const screens = Object.keys(en).filter((name) => files.includes(`i18n/en/${name}.ts`));
    const usedScreens = (file: string) =>
      screens.filter((screen) =>
        [...closureOf(file)].some((one) => new RegExp(`['\`]${screen}\\.[a-zA-Z$]`).test(textOf(one))),
      );
    expect(routedPages).to.have.length.above(10);
    expect(publicPages).to.have.length.above(1);
    for (const { source, words } of [...routedPages, ...publicPages])
      expect(words, source).to.have.members(usedScreens(source));
    expect(usedScreens('main.tsx'), 'the frame and signing in').to.deep.equal([]);
  });

  it('uses every translation', () => {
    const source = files
      .filter((file) => !file.startsWith('i18n/'))
      .map(textOf)
      .join('\n');
    const keysOf = (words: object, prefix = ''): string[] =>
      Object.entries(words).flatMap(([key, value]) =>
        typeof value === 'string'
          ? [`${prefix}${key.replace(/_(one|other)$/, '')}`]
          : keysOf(value, `${prefix}${key}.`),
      );
    const unused = keysOf(en).filter((key) => {
      const groups = key.split('.').map((_part, index, parts) => parts.slice(0, index).join('.'));
      return !source.includes(`'${key}'`) && !groups.some((group) => source.includes(`\`${group}.$`));
    });
    expect(unused).to.deep.equal([]);
  });
});
