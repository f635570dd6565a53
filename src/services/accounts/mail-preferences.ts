import type { User } from '../../db/models/user.js';
import { AppError } from '../../errors.js';
import type { Role } from '../../schemas/fields.js';
import {
  type MailPreferences,
  mailPreferencesSchema,
  type NewsKind,
  newsKinds,
} from '../../schemas/mail-preferences.js';
import { validate } from '../../schemas/validate.js';
import { lockCaller } from '../auth/sessions.js';
import type { Caller, Core } from '../core.js';
import { isMailSetUp } from '../mail/outbox.js';

const kindsOf: Readonly<Record<Role, readonly NewsKind[]>> = {
  trainee: ['enrolled', 'accepted', 'moved_up', 'refused', 'completed'],
  trainer: ['requests'],
  super_admin: [],
};

/** Mail preferences of a person, and the kinds of mail they can turn off: none without a mail server. */
export interface OfferedPreferences extends MailPreferences {
  kinds: readonly NewsKind[];
}

function presentPreferences(core: Core, { role, language, mailOff }: User): OfferedPreferences {
  const off = newsKinds.filter((kind) => mailOff.split(' ').includes(kind));
  return { language, off, kinds: isMailSetUp(core) ? kindsOf[role] : [] };
}

/** @throws AppError `TOKEN_INVALID` */
export async function mailPreferences(core: Core, { user: { id } }: Caller): Promise<OfferedPreferences> {
  const user = await core.database.read(() => core.database.models.User.findByPk(id));
  if (!user) throw new AppError('TOKEN_INVALID');
  return presentPreferences(core, user);
}

/**
 * Stores the caller's mail preferences; absent fields stay unchanged. Leaves `updatedAt` unchanged.
 * @throws AppError `VALIDATION`, `TOKEN_INVALID`
 */
export async function changeMailPreferences(core: Core, caller: Caller, input: unknown): Promise<OfferedPreferences> {
  const { language, off } = validate(mailPreferencesSchema, input);
  return core.database.inTransaction(async (transaction) => {
    const user = await lockCaller(core, caller, transaction);
    const changes = { ...(language !== undefined && { language }), ...(off && { mailOff: off.join(' ') }) };
    return presentPreferences(core, await user.update(changes, { transaction, silent: true }));
  });
}
