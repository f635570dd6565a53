import { notifications } from '@mantine/notifications';

/** Says that something was done: gone after a while. */
export function notifyDone(message: string): void {
  notifications.show({ message, color: 'teal', withBorder: true });
}

/** Says that something could not be done: stays until it is closed. */
export function notifyFailed(message: string): void {
  notifications.show({ message, color: 'red', autoClose: false, withBorder: true });
}
