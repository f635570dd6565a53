import type { Context } from '../../context.js';
import { AppError } from '../../errors.js';
import { isSignedIn } from '../../services/auth/sessions.js';
import type { Caller } from '../../services/core.js';

/** The session may have ended while the body arrived. @throws AppError `TOKEN_INVALID` */
export async function assertStillSignedIn(context: Context, caller: Caller | undefined): Promise<void> {
  if (caller && !(await isSignedIn(context, caller))) throw new AppError('TOKEN_INVALID');
}

/**
 * A table for as long as its reader is signed in: who takes it slowly would get rows that are newer than the end of their
 * session.
 * @throws AppError `TOKEN_INVALID`; what was sent of the answer then has no end
 */
export async function* whileSignedIn<T>(
  context: Context,
  caller: Caller | undefined,
  pieces: AsyncIterable<T>,
): AsyncGenerator<T> {
  for await (const piece of pieces) {
    await assertStillSignedIn(context, caller);
    yield piece;
  }
}
