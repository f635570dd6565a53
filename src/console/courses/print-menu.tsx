import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconPrinter } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

/** Menu of the pages to print for a course. */
export function PrintMenu({ courseId }: { courseId: string }) {
  const { t } = useTranslation();
  const params = { id: courseId };
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconPrinter size={16} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
        >
          {t('enrollments.paper.print')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item renderRoot={(props: object) => <Link {...props} to="/courses/$id/attendance" params={params} />}>
          {t('enrollments.paper.attendance')}
        </Menu.Item>
        <Menu.Item renderRoot={(props: object) => <Link {...props} to="/courses/$id/certificates" params={params} />}>
          {t('enrollments.paper.certificates')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
