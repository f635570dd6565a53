import { useApi } from './queries.js';

/** Whether the service sends mail; false while unknown. */
export const useMailSetUp = (): boolean => useApi('showForgotPassword', {}).data?.available ?? false;
