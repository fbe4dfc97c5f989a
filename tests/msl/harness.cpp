// Runs kernels: every workgroup as 256 invocations that take turns, from barrier to barrier.
//
// Standard input, in 32-bit words: the program; for each of 9 roles a count and that many words; the number of
// launches; for each the kernel, the number of workgroups and the width of the grid. Standard output: the words of all
// roles, in order.
//
// `programs` is defined by the source that includes this file.

#include <ucontext.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <metal_stdlib>

// A buffer that becomes whatever pointer a kernel takes.
struct Buffer {
    void* words;
    metal::uint bytes;
    template <class T> operator T*() const { return static_cast<T*>(words); }
};

typedef void (*Call)(const Buffer* roles, metal::uint3 group, metal::uint3 grid, metal::uint invocation);
struct Program {
    const Call* kernels;
    unsigned count;
};
static const Program* program_at(unsigned index);

static const unsigned ROLES = 9;
static const unsigned INVOCATIONS = 256;
static const unsigned STACK = 1 << 16;

struct Workgroup {
    Call call;
    const Buffer* roles;
    metal::uint3 group, grid;
    ucontext_t scheduler, invocations[INVOCATIONS];
    bool done[INVOCATIONS];
    unsigned current;
};
static Workgroup workgroup;
static char stacks[INVOCATIONS][STACK];

static void fail(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    std::exit(1);
}

void metal::threadgroup_barrier(metal::mem_flags) {
    swapcontext(&workgroup.invocations[workgroup.current], &workgroup.scheduler);
}

static void invocation() {
    const unsigned own = workgroup.current;
    workgroup.call(workgroup.roles, workgroup.group, workgroup.grid, own);
    workgroup.done[own] = true;
}

static void run_workgroup() {
    for (unsigned i = 0; i < INVOCATIONS; i++) {
        ucontext_t& context = workgroup.invocations[i];
        getcontext(&context);
        context.uc_stack.ss_sp = stacks[i];
        context.uc_stack.ss_size = STACK;
        context.uc_link = &workgroup.scheduler;
        makecontext(&context, invocation, 0);
        workgroup.done[i] = false;
    }
    for (unsigned finished = 0; finished < INVOCATIONS;) {
        finished = 0;
        for (unsigned i = 0; i < INVOCATIONS; i++) {
            workgroup.current = i;
            swapcontext(&workgroup.scheduler, &workgroup.invocations[i]);
            finished += workgroup.done[i];
        }
        if (finished != 0 && finished != INVOCATIONS) {
            fail("some invocations of a workgroup wait at a barrier that others do not reach");
        }
    }
}

static metal::uint read_word() {
    metal::uint word;
    if (std::fread(&word, sizeof word, 1, stdin) != 1) fail("the input ends early");
    return word;
}

int main() {
    const Program* program = program_at(read_word());
    std::vector<metal::uint> words[ROLES];
    Buffer roles[ROLES];
    for (unsigned role = 0; role < ROLES; role++) {
        words[role].resize(read_word());
        for (metal::uint& word : words[role]) word = read_word();
        roles[role].words = words[role].data();
        roles[role].bytes = words[role].size() * sizeof(metal::uint);
    }
    for (unsigned launches = read_word(); launches > 0; launches--) {
        const metal::uint kernel_index = read_word(), groups = read_word(), width = read_word();
        if (kernel_index >= program->count) fail("no such kernel");
        workgroup.call = program->kernels[kernel_index];
        workgroup.roles = roles;
        workgroup.grid = metal::uint3{width, (groups + width - 1) / width, 1};
        // Last first: no result may depend on the order of workgroups.
        for (metal::uint i = workgroup.grid.x * workgroup.grid.y; i-- > 0;) {
            workgroup.group = metal::uint3{i % width, i / width, 0};
            run_workgroup();
        }
    }
    for (const std::vector<metal::uint>& role : words) std::fwrite(role.data(), sizeof(metal::uint), role.size(), stdout);
    return 0;
}
