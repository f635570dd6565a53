import { notifications } from '@mantine/notifications';
import i18next from 'i18next';

/** Says that something was done: gone after a while. */
export function notifyDone(message: string): void {
  notifications.show({
    message,
    color: 'teal',
    withBorder: true,
    closeButtonProps: { 'aria-label': i18next.t('action.close') },
  });
}
