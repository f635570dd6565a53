import icon from './icon.svg';

/** The sign of the program; its name stands beside it. */
export function Logo({ size = 28 }: { size?: number }) {
  return <img src={icon} width={size} height={size} alt="" />;
}
