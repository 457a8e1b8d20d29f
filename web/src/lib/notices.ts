// Notifications of the browser.

import type { Notice } from "./calling";

/** Whether notifications are allowed; undefined if the browser offers none. */
export function noticePermission(): NotificationPermission | undefined {
  return isSecureContext && "Notification" in window ? Notification.permission : undefined;
}

/** Ask the player to allow notifications, unless they have answered before. */
export async function askForNotices(): Promise<NotificationPermission | undefined> {
  return noticePermission() === "default" ? Notification.requestPermission() : noticePermission();
}

/** Show a notification; a click on it leads to the page. */
export function notify(title: string, text: string): Notice {
  if (noticePermission() !== "granted") throw new Error("Notifications are not allowed.");
  const notice = new Notification(title, { body: text });
  notice.onclick = () => {
    focus();
    notice.close();
  };
  return notice;
}
