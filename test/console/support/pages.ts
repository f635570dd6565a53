import { readFileSync } from 'node:fs';

/** A page of the console, as the router names it. */
interface RoutedPage {
  /** Its path in the console's source. */
  source: string;
  /** The screens whose words it asks for. */
  words: string[];
}

const sourceOf = (file: string) => readFileSync(new URL(`../../../src/console/${file}`, import.meta.url), 'utf8');

/** Every page that the router loads, behind signing in. */
export const routedPages: readonly RoutedPage[] = [
  ...sourceOf('app/router.tsx').matchAll(/lazyPage\(\s*\[([^\]]*)\],\s*\(\) => import\('\.\.\/([^']+)\.js'\)/g),
].map(([, words = '', page = '']) => ({
  source: `${page}.tsx`,
  words: [...words.matchAll(/\w+/g)].map(String),
}));

/** Every page that needs no session. */
export const publicPages: readonly RoutedPage[] = [
  ...sourceOf('app/public-pages.tsx').matchAll(/import\('\.\.\/([^']+)\.js'\)/g),
].map(([, page = '']) => ({ source: `${page}.tsx`, words: ['links'] }));
