import { audit } from './de/audit.js';
import { catalogue } from './de/catalogue.js';
import { common } from './de/common.js';
import { courses } from './de/courses.js';
import { imports } from './de/imports.js';
import { overview } from './de/overview.js';
import { people } from './de/people.js';
import { profile } from './de/profile.js';
import type { Words } from './en.js';

/** All German words of the console. */
export const de: Words = { ...common, overview, people, imports, courses, catalogue, audit, profile };
