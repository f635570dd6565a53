import { notifications } from '@mantine/notifications';
import i18next from 'i18next';

/** Shows a success message for a few seconds. */
export function notifyDone(message: string): void {
  notifications.show({
    message,
    color: 'teal',
    withBorder: true,
    closeButtonProps: { 'aria-label': i18next.t('action.close') },
  });
}
