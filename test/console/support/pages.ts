import { readFileSync } from 'node:fs';

/** A page of the console behind signing in, as the router names it. */
interface RoutedPage {
  /** Its path in the console's source. */
  source: string;
  /** The screens whose words it asks for. */
  words: string[];
}

const router = new URL('../../../src/console/app/router.tsx', import.meta.url);

/** Every page that the router loads. */
export const routedPages: readonly RoutedPage[] = [
  ...readFileSync(router, 'utf8').matchAll(/lazyPage\(\s*\[([^\]]*)\],\s*\(\) => import\('\.\.\/([^']+)\.js'\)/g),
].map(([, words = '', page = '']) => ({
  source: `${page}.tsx`,
  words: [...words.matchAll(/\w+/g)].map(String),
}));
