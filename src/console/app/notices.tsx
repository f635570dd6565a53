import { Notifications } from '@mantine/notifications';

/** Where messages of work that is done appear: ui/notify.ts. */
export function Notices() {
  return <Notifications position="bottom-right" />;
}
