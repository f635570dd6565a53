import { useApi } from './queries.js';

/** Whether the service sends mail; false while it isn't known yet. */
export const useMailSetUp = (): boolean => useApi('showForgotPassword', {}).data?.available ?? false;
