#include "io/iso_time.h"

/* n digits, or -1; *s moves behind them. */
static int digits(const char **s, const char *end, int n)
{
    int x = 0;
    if (end - *s < n) return -1;
    for (int i = 0; i < n; i++, ++*s) {
        if (**s < '0' || **s > '9') return -1;
        x = 10 * x + (**s - '0');
    }
    return x;
}

static int skip(const char **s, const char *end, char c)
{
    if (*s >= end || **s != c) return 0;
    ++*s;
    return 1;
}

/* Days from 1970-01-01 in the Gregorian calendar: years begin in March, so that leap days are the last of
 * one. */
static long long days(int year, int month, int day)
{
    static const int before[] = {306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275};
    long long y = year - (month < 3);
    return 365 * y + y / 4 - y / 100 + y / 400 + before[month - 1] + day - 1 - 719468;
}

static int days_of_month(int year, int month)
{
    static const int n[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return n[month - 1] + (month == 2 && leap);
}

/* hh:mm:ss.fraction */
static int time_of_day(const char **s, const char *end, long long *seconds, double *fraction)
{
    int hour = digits(s, end, 2), minute = hour >= 0 && skip(s, end, ':') ? digits(s, end, 2) : -1,
        second = 0;
    if (minute < 0 || hour > 24 || minute > 59) return 0;
    if (skip(s, end, ':')) second = digits(s, end, 2);
    if (second < 0 || second > 60) return 0; /* 60: a leap second */
    if (*s < end && (**s == '.' || **s == ',')) {
        double unit = 1, sum = 0;
        const char *first = ++*s;
        for (; *s < end && **s >= '0' && **s <= '9'; ++*s)
            if (unit > 1e-18) sum = 10 * sum + (**s - '0'), unit /= 10;
        if (*s == first) return 0;
        for (double u = unit; u < 0.5; u *= 10) sum /= 10;
        *fraction = sum;
    }
    *seconds += 3600LL * hour + 60LL * minute + second;
    return 1;
}

/* Z, +hh, +hhmm or +hh:mm */
static int zone(const char **s, const char *end, long long *seconds)
{
    if (skip(s, end, 'Z') || *s == end) return 1;
    int sign = **s == '+' ? 1 : **s == '-' ? -1 : 0, minute = 0;
    if (!sign) return 0;
    ++*s;
    int hour = digits(s, end, 2);
    if (hour < 0 || hour > 23) return 0;
    if (*s < end) {
        skip(s, end, ':');
        minute = digits(s, end, 2);
    }
    if (minute < 0 || minute > 59) return 0;
    *seconds -= sign * (3600LL * hour + 60LL * minute);
    return 1;
}

int sn_iso_time(const char *begin, const char *end, long long *seconds, double *fraction)
{
    const char *s = begin;
    int year = digits(&s, end, 4), month = year >= 0 && skip(&s, end, '-') ? digits(&s, end, 2) : -1;
    int day = month >= 1 && month <= 12 && skip(&s, end, '-') ? digits(&s, end, 2) : -1;
    if (day < 1 || day > days_of_month(year, month)) return 0;
    *seconds = 86400 * days(year, month, day), *fraction = 0;
    if (s == end) return 1;
    if (!skip(&s, end, 'T') && !skip(&s, end, ' ')) return 0;
    return time_of_day(&s, end, seconds, fraction) && zone(&s, end, seconds) && s == end;
}
