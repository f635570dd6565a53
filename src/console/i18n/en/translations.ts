import { audit } from './audit.js';
import { catalogue } from './catalogue.js';
import { common } from './common.js';
import { courses } from './courses.js';
import { enrollments } from './enrollments.js';
import { imports } from './imports.js';
import { links } from './links.js';
import { mail } from './mail.js';
import { overview } from './overview.js';
import { people } from './people.js';
import { profile } from './profile.js';

/** By the names of their files, by which pages ask for them: app/router.tsx. */
const screens = { overview, people, imports, courses, enrollments, catalogue, audit, profile, links, mail } as const;
export type Screen = keyof typeof screens;

/** All English words of the console. Other languages have the same keys: test/console/words.test.ts. */
export const en = { ...common, ...screens } as const;

type Shape<T> = { [K in keyof T]: T[K] extends string ? string : Shape<T[K]> };

/** The keys that every language has words for. */
export type Translations = Shape<typeof en>;
