import { lazyDialog } from '../lazy.js';

/** The one dialog for "really?"; its code is loaded when something is asked for the first time. */
export const ConfirmDialog = lazyDialog(async () => (await import('./confirm-dialog.js')).ConfirmDialog, 'opened');
