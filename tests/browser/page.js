// Compiles and runs kernels as the test asks: takes a task, posts the answer, takes the next one from the response.
//
// A message is a text and some words: the length of the text in bytes, the text (JSON), the words, all little-endian.

"use strict";

/** How many compiled programs are kept. */
const MOST_KNOWN = 128;

function pack(text, words) {
    const json = new TextEncoder().encode(JSON.stringify(text));
    return new Blob([new Uint32Array([json.length]), json, words]);
}

function unpack(bytes) {
    const start = 4 + new DataView(bytes).getUint32(0, true);
    const text = new TextDecoder().decode(new Uint8Array(bytes, 4, start - 4));
    return { text: JSON.parse(text), words: new Uint32Array(bytes.slice(start)) };
}

/** All that the compiler has to say of a source, and the pipelines of its kernels if that is nothing. */
async function compile(device, { source, kernels }) {
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code: source });
    const { messages } = await module.getCompilationInfo();
    const reports = messages.map((said) => `${said.type} at ${said.lineNum}:${said.linePos}: ${said.message}`);
    const pipelines = [];
    if (reports.length === 0) {
        const making = kernels.map((kernel) => pipeline(device, module, kernel));
        for (const made of await Promise.allSettled(making)) {
            if (made.status === "fulfilled") {
                pipelines.push(made.value);
            } else {
                reports.push(`error: ${made.reason.message}`);
            }
        }
    }
    const error = await device.popErrorScope();
    if (error && reports.length === 0) {
        reports.push(`error: ${error.message}`);
    }
    return { reports, pipelines };
}

/** A kernel's pipeline, with the bindings that it is said to have rather than those that the compiler finds. */
function pipeline(device, module, { name, bindings }) {
    const entries = bindings.map(({ binding, writes }) => ({
        binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type: writes ? "storage" : "read-only-storage" },
    }));
    const layout = device.createPipelineLayout({ bindGroupLayouts: [device.createBindGroupLayout({ entries })] });
    return device.createComputePipelineAsync({ layout, compute: { module, entryPoint: name } });
}

/** Runs kernels one after another on buffers with these words; the words afterwards. */
async function run(device, { lengths, kernels, grids }, pipelines, words) {
    device.pushErrorScope("validation");
    device.pushErrorScope("out-of-memory");
    const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const staging = device.createBuffer({ size: words.byteLength, usage: COPY_DST | MAP_READ });
    let start = 0;
    const buffers = lengths.map((length) => {
        const buffer = device.createBuffer({ size: Math.max(4 * length, 16), usage: STORAGE | COPY_SRC | COPY_DST });
        device.queue.writeBuffer(buffer, 0, words, start, length);
        start += length;
        return buffer;
    });
    const encoder = device.createCommandEncoder();
    kernels.forEach(({ bindings }, place) => {
        const entries = bindings.map(({ binding }) => ({ binding, resource: { buffer: buffers[binding] } }));
        const layout = pipelines[place].getBindGroupLayout(0);
        const pass = encoder.beginComputePass();
        pass.setPipeline(pipelines[place]);
        pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
        pass.dispatchWorkgroups(...grids[place]);
        pass.end();
    });
    start = 0;
    buffers.forEach((buffer, role) => {
        encoder.copyBufferToBuffer(buffer, 0, staging, start, 4 * lengths[role]);
        start += 4 * lengths[role];
    });
    device.queue.submit([encoder.finish()]);
    const errors = [await device.popErrorScope(), await device.popErrorScope()].filter((error) => error !== null);
    if (errors.length > 0) {
        return { reports: errors.map((error) => `error: ${error.message}`) };
    }
    await staging.mapAsync(GPUMapMode.READ);
    const results = new Uint32Array(staging.getMappedRange().slice());
    [staging, ...buffers].forEach((buffer) => buffer.destroy());
    return { reports: [], results };
}

/** Answers tasks for as long as the test is there. */
async function serve() {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) {
        throw new Error("there is no adapter for WebGPU");
    }
    // The limits that every implementation of WebGPU has: the kernels need no more.
    const device = await adapter.requestDevice();
    const lost = device.lost.then(({ message }) => Promise.reject(new Error(`the device is lost: ${message}`)));
    // A program comes more than once: to be compiled, then for every step.
    const known = new Map();
    const answer = async ({ text, words }) => {
        if (text.kernels.length === 0) {
            return compile(device, text);
        }
        const key = JSON.stringify([text.source, text.kernels]);
        if (!known.has(key)) {
            if (known.size >= MOST_KNOWN) {
                known.clear();
            }
            known.set(key, await compile(device, text));
        }
        const { reports, pipelines } = known.get(key);
        return reports.length > 0 || !text.lengths ? { reports } : run(device, text, pipelines, words);
    };
    const { vendor, architecture } = adapter.info;
    let next = await post({ adapter: `${vendor} ${architecture}` });
    for (;;) {
        try {
            const { reports, results } = await Promise.race([answer(next), lost]);
            next = await post({ reports }, results);
        } catch (error) {
            next = await post({ failure: String(error) });
        }
    }
}

async function post(text, words = new Uint32Array()) {
    let response;
    try {
        response = await fetch("/answer", { method: "POST", body: pack(text, words) });
    } catch {
        // The test is over. Where it could not end the browser, this does.
        window.close();
        return new Promise(() => {});
    }
    return unpack(await response.arrayBuffer());
}

serve().catch((error) => post({ failure: String(error) }));
