import { AppError } from '../../errors.js';
import { presentIdentity } from '../../presenters/identity.js';
import { oidcAnswerSchema, oidcStartSchema } from '../../schemas/identity.js';
import { validate } from '../../schemas/validate.js';
import type { Context } from '../../services/context.js';
import { actorOf } from '../../services/core.js';
import { beginLinking, beginSignIn, finishSignIn } from '../../services/identities/flow.js';
import {
  listIdentities,
  ownIdentities,
  removeOwnIdentity,
  removeUserIdentity,
} from '../../services/identities/linking.js';
import { oidcSettings } from '../../services/identities/provider.js';
import { readState } from '../../services/identities/state.js';
import { publicCodeOf, statusOf } from '../api/failures.js';
import type { Handlers } from '../routing/handler.js';

/** Returns the address of a page, or of the same page with the code of a failure: the browser shows no JSON to people. */
async function redirected(
  context: Context,
  failurePage: string,
  work: () => Promise<string>,
): Promise<{ location: string }> {
  try {
    return { location: await work() };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'OIDC_NOT_SET_UP') throw error;
    // provider.ts has logged why the issuer can't be used. A full queue needs no line for each request.
    if (statusOf(error.code) >= 500 && error.code !== 'OIDC_UNAVAILABLE' && error.code !== 'OVERLOADED')
      context.logger.error({ err: error }, "a sign-in with the organisation's account failed");
    return { location: `${failurePage}#oidc=${publicCodeOf(error.code)}` };
  }
}

export const identityHandlers = {
  showOidc: async ({ context }) => ({
    name: context.config.oidc.name ?? null,
    passwordLogin: context.config.auth.passwordLogin,
  }),

  async startOidc({ context, query, fetchSite = 'none', stateCookie, withoutSlot }) {
    const { returnTo } = validate(oidcStartSchema, query);
    oidcSettings(context.config);
    // Another page must not sign its visitors in: the issuer may ask them nothing.
    if (fetchSite !== 'none' && fetchSite !== 'same-origin') return { location: '/sign-in' };
    return redirected(context, '/sign-in', async () => {
      const { url, state } = await withoutSlot(() => beginSignIn(context, returnTo));
      stateCookie.set(state);
      return url;
    });
  },

  async finishOidc({ context, query, client, cookie, stateCookie, withoutSlot }) {
    oidcSettings(context.config);
    const answer = validate(oidcAnswerSchema, query);
    const state = await readState(context, stateCookie.take());
    return redirected(context, state?.link ? '/profile' : '/sign-in', async () => {
      if (!state) throw new AppError('OIDC_STATE_INVALID');
      const session = await withoutSlot(() => finishSignIn(context, state, answer, client));
      if (!session) return '/profile#oidc=linked';
      cookie.set(session.token);
      return state.returnTo;
    });
  },

  async listOwnIdentities({ context, caller }) {
    const { identities, hasPassword } = await ownIdentities(context, caller);
    return { identities: identities.map(presentIdentity), hasPassword };
  },

  async linkIdentity({ context, caller, body, stateCookie }) {
    const { url, state } = await beginLinking(context, caller, body);
    stateCookie.set(state);
    return { url };
  },

  async removeOwnIdentity({ context, caller, params }) {
    await removeOwnIdentity(context, caller, params.id);
    return { message: 'Identity removed successfully.' };
  },

  async listUserIdentities({ context, params }) {
    return { identities: (await listIdentities(context, params.id)).map(presentIdentity) };
  },

  async removeUserIdentity({ context, caller, params }) {
    await removeUserIdentity(context, actorOf(caller), params.id, params.identityId);
    return { message: 'Identity removed successfully.' };
  },
} satisfies Partial<Handlers>;
