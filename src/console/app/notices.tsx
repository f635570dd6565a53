import { Notifications } from '@mantine/notifications';

/** Shows the messages of ui/notify.ts. */
export function Notices() {
  return <Notifications position="bottom-right" />;
}
