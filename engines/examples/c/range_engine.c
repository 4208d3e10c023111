/* An engine for gcdbench in C, with no library but libc. docs/engines.md describes the protocol.
 *
 * It takes regular expressions of one form, [a-b]+ : one or more bytes of a range. A token is legal if all its bytes
 * are in the range, and the text may end after the first byte. So a generation is one number, how many
 * tokens it has, and an engine is one mask. What is of interest is the rest, which every engine needs.
 *
 *     cc -O2 -o range_engine range_engine.c
 *     gcdbench engines check --command ./range_engine
 *
 * Requests are read with a few searches instead of a parser of JSON: gcdbench writes each on one line, without
 * white space, and no value that is looked for here has its name in another value before it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static uint8_t *bulk;     /* the file that both sides map */
static size_t bulk_bytes;
static int size;          /* |V| */
static int eos[64], eos_count;
static uint8_t *first, *last; /* the least and the greatest byte of each token; first > last: never legal */
static float *logits;

/* The engine: the mask of all tokens in the range, and whether there is one. */
static int compiled;
static uint8_t from, to;
static uint8_t *inside;

/* A generation. */
struct generation { long tokens; int ended; };

static int is_eos(int token) {
    for (int i = 0; i < eos_count; i++)
        if (eos[i] == token) return 1;
    return 0;
}

/* Writes all bits of the mask into a row of the caller; "bytes" is its length, with padding. */
static void fill(const struct generation *g, uint8_t *row, size_t bytes) {
    size_t used = (size + 7) / 8;
    memset(row + used, 0, bytes - used);
    if (g->ended) {
        memset(row, 0, used);
        return;
    }
    memcpy(row, inside, used);
    if (g->tokens > 0)
        for (int i = 0; i < eos_count; i++) row[eos[i] / 8] |= 1 << eos[i] % 8;
}

/* Appends a token; 0 if it is refused. */
static int commit(struct generation *g, int token) {
    if (token < 0 || token >= size || g->ended) return 0;
    if (is_eos(token)) {
        g->ended = g->tokens > 0;
        return g->ended;
    }
    if (!(inside[token / 8] >> token % 8 & 1)) return 0;
    g->tokens++;
    return 1;
}

static int has(const uint8_t *row, int token) { return row[token / 8] >> token % 8 & 1; }

/* What a sampler does with a mask, between two steps. */
static void apply(const uint8_t *row) {
    for (int i = 0; i < size; i++)
        if (!has(row, i)) logits[i] = -INFINITY;
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint32_t ns(uint64_t begin, uint64_t end) { return end - begin > UINT32_MAX ? UINT32_MAX : end - begin; }

/* Reading a request: the text behind "name": , or NULL. */
static const char *value(const char *line, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *at = strstr(line, key);
    return at ? at + strlen(key) : NULL;
}

static long number(const char *line, const char *name) {
    const char *v = value(line, name);
    return v ? atol(v) : 0;
}

/* An area of the file, {"at":..,"n":..}; NULL if it is absent or not in the file. */
static void *area(const char *line, const char *name, size_t element, long *n) {
    const char *v = value(line, name);
    *n = 0;
    if (!v || *v != '{') return NULL;
    long at = number(v, "at");
    *n = number(v, "n");
    if (at < 0 || *n < 0 || (size_t)at + *n * element > bulk_bytes) return NULL;
    return bulk + at;
}

static void say(const char *text) { printf("%s\n", text); fflush(stdout); }

static void fail(const char *outcome, const char *why) {
    printf("\"ok\":false,\"outcome\":\"%s\",\"error\":\"%s\"}\n", outcome, why);
    fflush(stdout);
}

/* What the clock costs: a pair of reads, and what a pair around nothing shows. */
static void hello(void) {
    enum { pairs = 100000 };
    uint64_t shown = 0, begin = now();
    for (int i = 0; i < pairs; i++) {
        uint64_t a = now();
        shown += now() - a;
    }
    double pair = (double)(now() - begin) / pairs;
    printf("\"ok\":true,\"protocol\":2,\"name\":\"range\",\"version\":\"1\",\"build\":\"C %ld\",\"licence\":\"Apache-2.0\","
           "\"takes\":[\"regex\"],\"semantics\":\"range\",\"can\":[],"
           "\"clock_pair_ns\":%f,\"clock_empty_ns\":%f,\"call_empty_ns\":0}\n",
           __STDC_VERSION__, pair, (double)shown / pairs);
    fflush(stdout);
}

static void map(const char *line) {
    const char *file = value(line, "file");
    char path[4096];
    if (!file || sscanf(file, "\"%4095[^\"]\"", path) != 1) return fail("crash", "no file");
    size_t bytes = number(line, "bytes");
    int fd = open(path, O_RDWR);
    void *m = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    if (m == MAP_FAILED) return fail("crash", "the file cannot be mapped");
    if (bulk) munmap(bulk, bulk_bytes);
    bulk = m, bulk_bytes = bytes;
    say("\"ok\":true}");
}

static void vocabulary(const char *line) {
    long n, bytes;
    uint64_t *ends = area(line, "ends", 8, &n);
    uint8_t *text = area(line, "text", 1, &bytes);
    uint64_t begin = now();
    if (!ends || !text || n != number(line, "size")) return fail("crash", "the vocabulary is not in the file");
    size = n, compiled = 0, eos_count = 0;
    const char *v = value(line, "eos");
    for (v = v ? v + 1 : "]"; *v != ']' && eos_count < 64; v += strcspn(v, ",]"), v += *v == ',') eos[eos_count++] = atoi(v);
    first = realloc(first, size), last = realloc(last, size);
    inside = realloc(inside, size / 8 + 1), logits = realloc(logits, size * sizeof *logits);
    for (long i = 0, at = 0; i < size; at = ends[i++]) {
        first[i] = 1, last[i] = 0;
        for (long b = at; b < (long)ends[i]; b++) {
            if (b == at || text[b] < first[i]) first[i] = text[b];
            if (b == at || text[b] > last[i]) last[i] = text[b];
        }
    }
    memset(logits, 0, size * sizeof *logits);
    printf("\"ok\":true,\"ns\":%llu}\n", (unsigned long long)(now() - begin));
    fflush(stdout);
}

static void compile(const char *line) {
    const char *kind = value(line, "kind"), *text = value(line, "text");
    char end = 0;
    if (!kind || strncmp(kind, "\"regex\"", 7)) return fail("unsupported", "it takes regular expressions only");
    if (!text || sscanf(text, "\"[%c-%c]+%c", (char *)&from, (char *)&to, &end) != 3 || end != '"')
        return fail("unsupported", "a regular expression other than [a-b]+");
    uint64_t begin = now();
    memset(inside, 0, size / 8 + 1);
    for (int i = 0; i < size; i++)
        if (first[i] <= last[i] && first[i] >= from && last[i] <= to) inside[i / 8] |= 1 << i % 8;
    uint64_t mid = now();
    struct generation g = {0, 0};
    uint8_t *row = malloc(size / 8 + 1);
    fill(&g, row, (size + 7) / 8);
    uint64_t done = now();
    free(row);
    compiled = 1;
    printf("\"ok\":true,\"engine\":1,\"compile_ns\":%llu,\"first_mask_ns\":%llu,\"bytes\":%d}\n",
           (unsigned long long)(mid - begin), (unsigned long long)(done - mid), size / 8 + 1);
    fflush(stdout);
}

static void walked(long masked, long refused, const char *by, int takes) {
    if (refused < 0)
        printf("\"ok\":true,\"masked\":%ld}\n", masked);
    else
        printf("\"ok\":true,\"masked\":%ld,\"refused\":%ld,\"refused_by\":\"%s\",\"commit_takes\":%s}\n", masked, refused, by, takes ? "true" : "false");
    fflush(stdout);
}

/* A document in blocks of k steps: two reads of the clock a block, and nothing between the steps. */
static void blocks(const int32_t *tokens, long n, long k, uint8_t *row, long stride, uint32_t *times) {
    struct generation g = {0, 0};
    for (long pos = 0; pos < n;) {
        long first = pos, end = pos + k < n ? pos + k : n;
        uint64_t begin = now();
        for (; pos < end; pos++) {
            if (pos > 0 && !commit(&g, tokens[pos - 1])) return walked(pos, pos - 1, "commit", 0);
            fill(&g, row, stride);
        }
        times[first / k] = ns(begin, now());
    }
    walked(n, -1, "", 0);
}

/* One new generation through one document: timed, or as a proof. */
static void walk(const char *line) {
    long n, wanted, row_bytes, slots, masked = 0;
    int32_t *tokens = area(line, "tokens", 4, &n);
    uint32_t *positions = area(line, "masked", 4, &wanted);
    uint8_t *rows = area(line, "rows", 1, &row_bytes);
    uint32_t *times = area(line, "times", 4, &slots);
    long stride = number(line, "stride"), block = number(line, "block");
    int touch = value(line, "logits") && !strncmp(value(line, "logits"), "true", 4);
    long copies = times ? row_bytes / stride - 1 : 0; /* rows behind the first: masks are copied there, in turn */
    struct generation g = {0, 0};
    if (!tokens || !rows) return fail("crash", "the document is not in the file");
    if (times && block > 0) return blocks(tokens, n, block, rows, stride, times);
    long before = -1; /* the mask of the position before, whose commit comes next */
    for (long pos = 0; pos <= n; pos++) {
        int here = pos < n && (!positions || (masked < wanted && positions[masked] == pos));
        uint8_t *row = times ? rows : rows + masked * stride;
        uint64_t begin = now();
        int took = pos == 0 || commit(&g, tokens[pos - 1]);
        uint64_t mid = now();
        if (here && took) fill(&g, row, stride);
        uint64_t end = now();
        if (!took) return walked(masked, pos - 1, "commit", 0);
        if (times && before >= 0) times[3 * before + 1] = ns(begin, mid);
        before = here ? masked : -1;
        if (!here) continue;
        if (times) times[3 * masked] = ns(mid, end), times[3 * masked + 2] = ns(begin, end);
        masked++;
        if (!has(row, tokens[pos])) {
            struct generation twin = g;
            return walked(masked, pos, "mask", commit(&twin, tokens[pos]));
        }
        if (copies > 0) memcpy(rows + (1 + (masked - 1) % copies) * stride, row, stride);
        if (touch) apply(row);
    }
    walked(masked, -1, "", 0);
}

/* The generation that is explored. */
static struct generation explored;

static void begin_or_next(const char *line, int next) {
    long n, bytes;
    uint8_t *row = area(line, "row", 1, &bytes);
    int32_t *tokens = area(line, "tokens", 4, &n), one = number(line, "token");
    if (next) tokens = &one, n = 1;
    else explored = (struct generation){0, 0};
    for (long i = 0; i < n; i++)
        if (!commit(&explored, tokens[i])) {
            if (next) return say("\"ok\":true,\"refused\":true}");
            printf("\"ok\":true,\"refused\":%ld}\n", i);
            fflush(stdout);
            return;
        }
    if (!row) return fail("crash", "no row");
    fill(&explored, row, bytes);
    say("\"ok\":true}");
}

int main(void) {
    char *line = NULL, what[32];
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *v = value(line, "do");
        printf("{\"id\":%ld,", number(line, "id")); /* of the answer, whose other fields follow */
        if (!v || sscanf(v, "\"%31[a-z-]\"", what) != 1) { fail("unsupported", "no request"); continue; }
        int needs = !strcmp(what, "walk") || !strcmp(what, "begin") || !strcmp(what, "next");
        if (needs && !compiled) fail("crash", "nothing is compiled");
        else if (!strcmp(what, "hello")) hello();
        else if (!strcmp(what, "map")) map(line);
        else if (!strcmp(what, "vocabulary")) vocabulary(line);
        else if (!strcmp(what, "compile")) compile(line);
        else if (!strcmp(what, "walk")) walk(line);
        else if (!strcmp(what, "begin")) begin_or_next(line, 0);
        else if (!strcmp(what, "next")) begin_or_next(line, 1);
        else if (!strcmp(what, "weigh")) {
            if (strstr(line, "\"drop\":true")) compiled = 0;
            say("\"ok\":true}");
        } else if (!strcmp(what, "stats")) say("\"ok\":true,\"bytes\":0}");
        else if (!strcmp(what, "bye")) { say("\"ok\":true}"); break; }
        else fail("unsupported", "there is no such request");
    }
    return 0; /* the end of stdin: gcdbench is gone */
}
