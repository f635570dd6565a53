import type { ErrorCode } from '../../../examples/api-types.js';
import { forgetBegunSignIn } from './session.js';

/** Result in the URL: the code of a failure, or that an identity is linked. */
type OidcResult = ErrorCode | 'linked';

/** Results by the page that shows them. */
const results = new Map<string, OidcResult>();
type ResultPage = '/sign-in' | '/profile';

/** Reads the result of the organisation's sign-in, and removes it from the address bar. Call before the session is fetched. */
export function readOidcResult(): void {
  const { pathname, search, hash } = window.location;
  const found = /^#oidc=(\w+)$/.exec(hash)?.[1];
  if (found === undefined) return;
  window.history.replaceState(null, '', pathname + search);
  // The service knows no other codes; those of another version get a general text.
  results.set(pathname, found as OidcResult);
  forgetBegunSignIn();
}

/** Returns the result of a page once. */
export function takeOidcResult(page: ResultPage): OidcResult | undefined {
  const taken = results.get(page);
  results.delete(page);
  return taken;
}
