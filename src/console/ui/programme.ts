/** An attribute of the page that the service sends: src/http/server/web-console.ts. */
export const attributeOf = (selector: string, name: string): string =>
  document.querySelector(selector)?.getAttribute(name) ?? '';

export const programmeName = attributeOf('meta[name="application-name"]', 'content');

/** False while the programme is named coursectl. */
export const hasOwnName = programmeName !== 'coursectl';

const icon = attributeOf('link[rel="icon"]', 'href');

/** Empty for a programme without a logo: the icon of coursectl isn't its logo. */
export const programmeLogo = icon === '/api/logo' || !hasOwnName ? icon : '';
