import { notifications as notices, useNotifications } from '@mantine/notifications';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { lazyPart } from '../ui/lazy.js';
import { LeaveGuard } from './leave-guard.js';
import { router } from './router.js';

const Notices = lazyPart(async () => (await import('./notices.js')).Notices);

/** Pages behind the sign-in. The code that shows messages is loaded with the first message. */
export function SignedInPages() {
  const { notifications } = useNotifications();
  const [hasNotices, setHasNotices] = useState(false);
  // Removes messages of the previous user.
  useEffect(() => notices.clean(), []);
  useEffect(() => {
    if (notifications.length > 0) setHasNotices(true);
  }, [notifications.length]);
  return (
    <>
      {hasNotices && <Notices />}
      <RouterProvider router={router} />
      <LeaveGuard />
    </>
  );
}
