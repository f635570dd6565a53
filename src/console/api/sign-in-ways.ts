import { useApi } from './queries.js';

/**
 * Ways to sign in: with the organisation's account, unless its `name` is null, and for others than the super admin with a
 * password. While unknown, with a password only.
 */
export const useSignInWays = () => useApi('showOidc', {}).data ?? { name: null, passwordLogin: true };
