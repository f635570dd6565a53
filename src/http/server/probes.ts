/** Whether the URL of a request is that of a health check, which comes every few seconds. */
export const isProbe = (url = ''): boolean => /^\/(health|ready)z(\?|$)/.test(url);

/** Whether a monitor asks, for health or for figures: their answers are shared, and need no slot. */
export const isPolled = (url = ''): boolean => isProbe(url) || /^\/metrics(\/|\?|$)/.test(url);
