import { notifications } from '@mantine/notifications';

/** Says that something was done: gone after a while. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', withBorder: true });
}
