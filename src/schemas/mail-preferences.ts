import { type MailLanguage, mailLanguages } from '../config/mail-settings.js';
import * as fields from './fields.js';
import Joi from './joi.js';

/** Kinds of mails that each person may turn off. */
export const newsKinds = ['enrolled', 'accepted', 'moved_up', 'refused', 'completed', 'requests'] as const;
export type NewsKind = (typeof newsKinds)[number];

export interface MailPreferences {
  /** Null for the language of the service. */
  language: MailLanguage | null;
  /** Kinds that are turned off. */
  off: NewsKind[];
}

/** Body of `PUT /api/mail-preferences`. Absent fields stay unchanged. */
export const mailPreferencesSchema = Joi.object<Partial<MailPreferences>, true>({
  language: fields
    .oneOf('language', mailLanguages)
    .allow(null)
    .meta({ enum: [...mailLanguages, null] })
    .description('Language of mails; null for the language of the service'),
  off: Joi.array()
    .items(fields.oneOf('off', newsKinds))
    .max(newsKinds.length)
    .unique()
    .messages({ '*': `off must be a list of ${newsKinds.join(', ')}, each once.` })
    .description('Kinds of mails that are turned off'),
});
