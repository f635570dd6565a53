import { audit } from './en/audit.js';
import { catalogue } from './en/catalogue.js';
import { common } from './en/common.js';
import { courses } from './en/courses.js';
import { imports } from './en/imports.js';
import { overview } from './en/overview.js';
import { people } from './en/people.js';
import { profile } from './en/profile.js';

/** By the names of their files, by which pages ask for them: app/router.tsx. */
const screens = { overview, people, imports, courses, catalogue, audit, profile } as const;
export type Screen = keyof typeof screens;

/** All English words of the console. Other languages have the same keys: test/console/words.test.ts. */
export const en = { ...common, ...screens } as const;

type Shape<T> = { [K in keyof T]: T[K] extends string ? string : Shape<T[K]> };

/** The keys that every language has words for. */
export type Words = Shape<typeof en>;
