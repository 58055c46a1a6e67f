/* The server of a result: HTTP/1.1 on 127.0.0.1, one thread, one poll loop, one answer a connection.
   Connections that send nothing, too slowly or do not read are dropped after a while; when all places are
   taken the one that waits longest makes room. */
#include "sinew/sinew.h"
#include "view/answer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 32, IDLE_TIMEOUT = 10, CLOSE_TIMEOUT = 1, TICK = 200 /* ms */ };
enum { READING, WRITING, CLOSING };

typedef struct client {
    int fd, stage; /* fd -1: a free place */
    double deadline;
    size_t have;
    sn_answer answer;
    int sent;
    char in[SN_HTTP_ROOM];
} client;

typedef struct server {
    sn_served result;
    int fd, port;
    client client[CLIENTS];
} server;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int set_up(int fd)
{
    return fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0;
}

/* Port 0: one that is free. */
static sn_status listen_at(server *s, int port, sn_err *err)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t n = sizeof a;
    int on = 1;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (s->fd < 0 || !set_up(s->fd) || setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
        bind(s->fd, (struct sockaddr *)&a, sizeof a) || listen(s->fd, CLIENTS) ||
        getsockname(s->fd, (struct sockaddr *)&a, &n))
        return sn_fail(err, SN_ERR_FILE, NULL, "port %d of 127.0.0.1 cannot be opened: %s", port,
                       strerror(errno));
    s->port = ntohs(a.sin_port);
    return SN_OK;
}

static void drop(client *c)
{
    close(c->fd);
    sn_free(c->answer.bytes);
    c->fd = -1, c->answer = (sn_answer){0};
}

static void take(server *s)
{
    for (int fd; (fd = accept(s->fd, NULL, NULL)) >= 0;) {
        client *c = s->client;
        for (client *k = c; k < s->client + CLIENTS; k++)
            if (c->fd >= 0 && (k->fd < 0 || k->deadline < c->deadline)) c = k;
        if (c->fd >= 0) drop(c);
        c->fd = fd, c->stage = READING, c->have = 0, c->sent = 0, c->deadline = now() + IDLE_TIMEOUT;
        if (!set_up(fd)) drop(c);
    }
}

/* Nothing more is sent; what still comes is thrown away for a moment, as closing at once could cost the
   browser the end of the answer. */
static void leave(client *c)
{
    shutdown(c->fd, SHUT_WR);
    c->stage = CLOSING, c->deadline = now() + CLOSE_TIMEOUT;
}

static void receive_request(server *s, client *c)
{
    char waste[4096];
    int reading = c->stage == READING;
    ssize_t n = reading ? recv(c->fd, c->in + c->have, sizeof c->in - c->have, 0)
                        : recv(c->fd, waste, sizeof waste, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        drop(c);
        return;
    }
    if (!reading) return;
    sn_http_request r;
    c->have += (size_t)n;
    int status = sn_http_read(c->in, c->have, s->port, &r);
    if (!status) return;
    if (sn_answer_make(&s->result, status, &r, &c->answer, NULL)) {
        drop(c); /* no memory: the browser may ask again */
        return;
    }
    c->stage = WRITING, c->deadline = now() + IDLE_TIMEOUT;
}

static void send_answer(client *c)
{
    ssize_t n = send(c->fd, c->answer.bytes + c->sent, (size_t)(c->answer.n - c->sent), MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n < 0) {
        drop(c);
        return;
    }
    c->sent += (int)n, c->deadline = now() + IDLE_TIMEOUT;
    if (c->sent == c->answer.n) leave(c);
}

static void turn(server *s)
{
    struct pollfd p[CLIENTS + 1] = {{.fd = s->fd, .events = POLLIN}};
    for (int i = 0; i < CLIENTS; i++)
        p[i + 1] = (struct pollfd){.fd = s->client[i].fd,
                                   .events = s->client[i].stage == WRITING ? POLLOUT : POLLIN};
    int n = poll(p, CLIENTS + 1, TICK);
    for (int i = 0; i < CLIENTS; i++) {
        client *c = &s->client[i];
        if (c->fd < 0) continue;
        if (n > 0 && p[i + 1].revents && c->stage == WRITING)
            send_answer(c);
        else if (n > 0 && p[i + 1].revents)
            receive_request(s, c);
        if (c->fd >= 0 && now() > c->deadline) drop(c);
    }
    if (n > 0 && p[0].revents) take(s);
}

sn_status sn_result_serve(const char *path, const sn_serve_options *o, sn_err *err)
{
    server *s;
    if (o->port < 0 || o->port > 65535)
        return sn_fail(err, SN_ERR_INPUT, NULL, "port %d: ports are 0 (a free one) to 65535", o->port);
    if (!SN_NEW(s, 1)) return SN_OUT_OF_MEM(err);
    s->fd = -1, s->result.path = path, s->result.begin = o->begin;
    for (int i = 0; i < CLIENTS; i++) s->client[i].fd = -1;
    sn_status st = sn_served_open(&s->result, err);
    if (st == SN_OK) st = listen_at(s, o->port, err);
    if (st == SN_OK && o->ready) {
        char address[64];
        snprintf(address, sizeof address, "http://127.0.0.1:%d/", s->port);
        o->ready(o->ctx, address);
    }
    while (st == SN_OK && !(o->stop && o->stop(o->ctx))) turn(s);
    for (int i = 0; i < CLIENTS; i++)
        if (s->client[i].fd >= 0) drop(&s->client[i]);
    if (s->fd >= 0) close(s->fd);
    sn_served_close(&s->result);
    sn_free(s);
    return st;
}
