import { audit } from './audit.js';
import { catalogue } from './catalogue.js';
import { common } from './common.js';
import { courses } from './courses.js';
import { enrollments } from './enrollments.js';
import { find } from './find.js';
import { groups } from './groups.js';
import { imports } from './imports.js';
import { links } from './links.js';
import { mail } from './mail.js';
import { overview } from './overview.js';
import { people } from './people.js';
import { profile } from './profile.js';

/** Translations by the names of their files, which app/router.tsx uses. */
const screens = {
  overview,
  people,
  groups,
  imports,
  courses,
  enrollments,
  catalogue,
  audit,
  profile,
  links,
  mail,
  find,
} as const;
export type Screen = keyof typeof screens;

/** All English texts of the console. Other languages have the same keys: test/console/translations.test.ts. */
export const en = { ...common, ...screens } as const;

type Shape<T> = { [K in keyof T]: T[K] extends string ? string : Shape<T[K]> };

/** Keys that every language must translate. */
export type Translations = Shape<typeof en>;
