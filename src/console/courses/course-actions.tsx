import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconCopy, IconEye, IconEyeOff, IconTrash, IconUserShare } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useUser } from '../session/session.js';
import { lazyDialog } from '../ui/lazy.js';
import { ButtonLink } from '../ui/links.js';
import { RowMenu } from '../ui/lists/row-menu.js';
import type { Course } from './course-values.js';

const PublishDialog = lazyDialog(async () => (await import('./course-dialogs.js')).PublishDialog, 'opened');
const DeleteCourseDialog = lazyDialog(async () => (await import('./course-dialogs.js')).DeleteCourseDialog, 'opened');
const AssignTrainerDialog = lazyDialog(async () => (await import('./course-dialogs.js')).AssignTrainerDialog, 'opened');

type Action = 'publish' | 'trainer' | 'delete';

interface CourseActionsProps {
  course: Course;
  /** As buttons with words, beside the heading of a page. */
  large?: boolean;
  onDeleted?(): void;
}

export function CourseActions({ course, large = false, onDeleted }: CourseActionsProps) {
  const { t } = useTranslation();
  const isAdmin = useUser().role === 'super_admin';
  const [action, setAction] = useState<Action>();
  const close = () => setAction(undefined);
  const { id, isPublished } = course;
  const label = t('courses.actionsOf', { title: course.title });
  const items = (
    <>
      {!(large && !isPublished) && (
        <Menu.Item
          leftSection={isPublished ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
          onClick={() => setAction('publish')}
        >
          {isPublished ? t('courses.publish.unpublish') : t('courses.publish.publish')}
        </Menu.Item>
      )}
      <Menu.Item
        leftSection={<IconCopy size={16} aria-hidden />}
        renderRoot={(props: object) => <Link {...props} to="/courses/new" search={{ copyOf: id }} />}
      >
        {t('courses.copy.action')}
      </Menu.Item>
      {isAdmin && (
        <Menu.Item leftSection={<IconUserShare size={16} aria-hidden />} onClick={() => setAction('trainer')}>
          {t('courses.assignTrainer.action')}
        </Menu.Item>
      )}
      <Menu.Item leftSection={<IconTrash size={16} aria-hidden />} onClick={() => setAction('delete')}>
        {t('courses.delete.action')}
      </Menu.Item>
    </>
  );
  return (
    <>
      {large ? (
        <>
          {!isPublished && <Button onClick={() => setAction('publish')}>{t('courses.publish.publish')}</Button>}
          <ButtonLink to="/courses/$id" params={{ id }} search={{ tab: 'edit' }} variant="default">
            {t('courses.edit')}
          </ButtonLink>
          <Menu position="bottom-end">
            <Menu.Target>
              <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
                {t('action.more')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown aria-label={label}>{items}</Menu.Dropdown>
          </Menu>
        </>
      ) : (
        <RowMenu label={label}>{items}</RowMenu>
      )}
      <PublishDialog course={course} opened={action === 'publish'} onClose={close} />
      {isAdmin && <AssignTrainerDialog course={course} opened={action === 'trainer'} onClose={close} />}
      <DeleteCourseDialog course={course} opened={action === 'delete'} onClose={close} onDeleted={onDeleted} />
    </>
  );
}
