import { readFileSync } from 'node:fs';

/** Page of the console, as named by the router. */
interface RoutedPage {
  /** Path in src/console. */
  source: string;
  /** Screens whose translations the page loads. */
  words: string[];
}

const sourceOf = (file: string) => readFileSync(new URL(`../../../src/console/${file}`, import.meta.url), 'utf8');

/** Every page of the router, behind the sign-in. */
export const routedPages: readonly RoutedPage[] = [
  ...sourceOf('app/router.tsx').matchAll(/lazyPage\(\s*\[([^\]]*)\],\s*\(\) => import\('\.\.\/([^']+)\.js'\)/g),
].map(([, words = '', page = '']) => ({
  source: `${page}.tsx`,
  words: [...words.matchAll(/\w+/g)].map(String),
}));

/** Every page without a session. */
export const publicPages: readonly RoutedPage[] = [
  ...sourceOf('app/public-pages.tsx').matchAll(/import\('\.\.\/([^']+)\.js'\)/g),
].map(([, page = '']) => ({ source: `${page}.tsx`, words: ['links'] }));
