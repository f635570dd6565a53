/** Whether the URL of a request is that of a health check, which comes every few seconds. */
export const isProbe = (url = ''): boolean => /^\/(health|ready)z(\?|$)/.test(url);
