import { lazyDialog } from '../lazy.js';

/** `ConfirmDialog` whose code is loaded when it first opens. */
export const ConfirmDialog = lazyDialog(async () => (await import('./confirm-dialog.js')).ConfirmDialog, 'opened');
