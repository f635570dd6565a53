import type { Translations } from '../en/translations.js';
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

/** All German words of the console. */
export const de: Translations = {
  ...common,
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
};
