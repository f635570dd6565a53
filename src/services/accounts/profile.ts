import type { User } from '../../db/models/user.js';
import { profileSchema } from '../../schemas/user.js';
import { validate } from '../../schemas/validate.js';
import { lockCaller } from '../auth/sessions.js';
import { countPhoneTried } from '../auth/throttle-locks.js';
import { actorOf, type Caller, type Core } from '../core.js';
import { lockPhoneKeys, readPhoneKeys, storedPhoneKeys } from '../phone-country.js';
import { saveUser } from './change-user.js';
import { changeUnlessRefused, takenKeys, userKeys } from './keys.js';

/**
 * Changes names and phone of the caller (specification, section 4.8); absent and empty fields stay unchanged.
 * @throws AppError `VALIDATION`, `PHONE_TAKEN`, `TOO_MANY_ATTEMPTS` if the caller tries too many phones,
 *   `TOKEN_INVALID`
 */
export async function updateProfile(core: Core, caller: Caller, input: unknown): Promise<User> {
  const changes = validate(profileSchema, input);
  const { phone } = changes;
  if (phone !== undefined && (await readPhoneKeys(core)).keyOf(phone) !== caller.user.phoneKey)
    await countPhoneTried(core, caller.user.id);
  const refusal = async () => {
    if (phone === undefined) return undefined;
    return (await takenKeys(core.database, { phone }, caller.user.id)).phone ? 'PHONE_TAKEN' : undefined;
  };
  return changeUnlessRefused(refusal, () =>
    core.database.inTransaction(async (transaction) => {
      const user = await lockCaller(core, caller, transaction);
      user.set(changes);
      if (phone !== undefined) user.set(storedPhoneKeys(phone, await lockPhoneKeys(core, transaction)));
      user.set(userKeys(user));
      await saveUser(core, user, { action: 'own.profile', actor: actorOf(caller) }, transaction);
      return user;
    }),
  );
}
