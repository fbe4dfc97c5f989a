//! The functions of the driver that stand between wgpu and the real ones, and the fault that one of them meets.
//!
//! Everything is counted per thread: wgpu calls the driver on the thread that called wgpu, so that tests do not disturb
//! each other.

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use ash::vk;

/// What the driver says in place of doing what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// There is no memory for this call; for the next one there is.
    OutOfMemory,
    /// The device is lost, and stays lost.
    Lost,
}

#[derive(Default)]
struct State {
    /// The calls so far that could have met the fault, by name.
    seen: Vec<&'static str>,
    /// What is to happen, at which of them.
    fault: Option<(Fault, usize)>,
    lost: bool,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Counts calls anew; the one after `after` others meets the fault, if there is to be one.
pub fn expect(fault: Option<(Fault, usize)>) {
    STATE.with_borrow_mut(|state| *state = State { fault, ..State::default() });
}

/// The calls since then that could have met a fault of this kind.
pub fn seen() -> Vec<&'static str> {
    STATE.with_borrow(|state| state.seen.clone())
}

/// Whether the fault has been met.
pub fn is_met() -> bool {
    STATE.with_borrow(|state| state.fault.is_some_and(|(_, after)| state.seen.len() > after))
}

/// Which faults a function can meet, by the specification.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Can {
    RunOut,
    /// Which it says even when it was asked for nothing but an answer.
    RunOutOrBeLost,
}

/// What a call meets; `idle` lets the real device come to rest, because nobody will wait for it any more.
fn meet(name: &'static str, can: Can, idle: impl FnOnce()) -> Option<vk::Result> {
    STATE.with_borrow_mut(|state| {
        let can_be_lost = can == Can::RunOutOrBeLost;
        if state.lost {
            return can_be_lost.then_some(vk::Result::ERROR_DEVICE_LOST);
        }
        let kind = state.fault.map(|(fault, _)| fault);
        if kind == Some(Fault::Lost) && !can_be_lost {
            return None;
        }
        state.seen.push(name);
        let (fault, after) = state.fault?;
        if state.seen.len() != after + 1 {
            return None;
        }
        if can_be_lost {
            idle();
        }
        match fault {
            Fault::OutOfMemory => Some(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY),
            Fault::Lost => {
                state.lost = true;
                Some(vk::Result::ERROR_DEVICE_LOST)
            }
        }
    })
}

/// Defines a function of ours for each of these, of the same type, and [`replace`].
macro_rules! functions {
    ($($name:ident: $can:ident $(, and rests through $rest:ident($object:ident))?, ($($argument:ident: $type:ty),*);)*) => {
        $(
            #[allow(non_snake_case)] // named as in Vulkan
            mod $name {
                use super::*;

                pub static REAL: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

                /// # Safety
                /// As of the function of this name.
                pub unsafe extern "system" fn call($($argument: $type),*) -> vk::Result {
                    let idle = || {$(
                        let real = super::$rest::REAL.load(Ordering::Acquire);
                        // SAFETY: the pointer is the driver's function of that name, which takes the object's handle, and
                        // it was loaded along with this one.
                        let real: unsafe extern "system" fn(u64) -> vk::Result = unsafe { std::mem::transmute(real) };
                        // SAFETY: the caller of this function may use the object.
                        let _ = unsafe { real(vk::Handle::as_raw($object)) };
                    )?};
                    if let Some(error) = meet(stringify!($name), Can::$can, idle) {
                        return error;
                    }
                    let real = REAL.load(Ordering::Acquire);
                    // SAFETY: it is the driver's function of this name, and this is its type in the specification.
                    let real: unsafe extern "system" fn($($type),*) -> vk::Result = unsafe { std::mem::transmute(real) };
                    // SAFETY: the arguments are the caller's.
                    unsafe { real($($argument),*) }
                }
            }
        )*

        /// Ours in place of the driver's function of that name, if there is one.
        fn replace(name: &str, real: vk::PFN_vkVoidFunction) -> vk::PFN_vkVoidFunction {
            // What was an extension in an older version of Vulkan has a suffix there, and is the same.
            match name.trim_end_matches("KHR") {
                $(stringify!($name) => {
                    $name::REAL.store(real? as *mut c_void, Ordering::Release);
                    // SAFETY: both are pointers to functions; who asks by this name casts it back to this type.
                    Some(unsafe { std::mem::transmute::<*const c_void, unsafe extern "system" fn()>(
                        $name::call as *const c_void
                    ) })
                })*
                _ => real,
            }
        }
    };
}

// Two are not among them, because wgpu 30 does not come through their failure whatever its user does. `vkCreateSemaphore`:
// wgpu calls it at a queue's first submission, and destroys one semaphore twice where it cannot have the second
// (`RelaySemaphores::advance`), so that what follows is undefined. `vkEndCommandBuffer`: the device is given up, and when its
// queue is dropped, `discard_encoding` panics at commands that are no longer there. Nor is `vkResetCommandPool`: wgpu does
// not look at what it returns, and calls it whenever it sees that a submission has ended.
functions! {
    vkAllocateMemory: RunOut,
        (device: vk::Device, info: *const vk::MemoryAllocateInfo<'_>, callbacks: *const c_void, memory: *mut u64);
    vkMapMemory: RunOut,
        (device: vk::Device, memory: u64, offset: u64, size: u64, flags: u32, data: *mut *mut c_void);
    vkFlushMappedMemoryRanges: RunOut,
        (device: vk::Device, count: u32, ranges: *const c_void);
    vkInvalidateMappedMemoryRanges: RunOut,
        (device: vk::Device, count: u32, ranges: *const c_void);
    vkCreateBuffer: RunOut,
        (device: vk::Device, info: *const c_void, callbacks: *const c_void, buffer: *mut u64);
    vkBindBufferMemory: RunOut,
        (device: vk::Device, buffer: u64, memory: u64, offset: u64);
    vkCreateShaderModule: RunOut,
        (device: vk::Device, info: *const c_void, callbacks: *const c_void, module: *mut u64);
    vkCreateDescriptorSetLayout: RunOut,
        (device: vk::Device, info: *const c_void, callbacks: *const c_void, layout: *mut u64);
    vkCreatePipelineLayout: RunOut,
        (device: vk::Device, info: *const c_void, callbacks: *const c_void, layout: *mut u64);
    vkCreateComputePipelines: RunOut,
        (device: vk::Device, cache: u64, count: u32, infos: *const c_void, callbacks: *const c_void, pipelines: *mut u64);
    vkCreateDescriptorPool: RunOut,
        (device: vk::Device, info: *const c_void, callbacks: *const c_void, pool: *mut u64);
    vkAllocateDescriptorSets: RunOut,
        (device: vk::Device, info: *const c_void, sets: *mut u64);
    vkCreateCommandPool: RunOut,
        (device: vk::Device, info: *const c_void, callbacks: *const c_void, pool: *mut u64);
    vkAllocateCommandBuffers: RunOut,
        (device: vk::Device, info: *const c_void, buffers: *mut vk::CommandBuffer);
    vkBeginCommandBuffer: RunOut,
        (commands: vk::CommandBuffer, info: *const c_void);
    vkQueueSubmit: RunOutOrBeLost, and rests through vkQueueWaitIdle(queue),
        (queue: vk::Queue, count: u32, submits: *const c_void, fence: u64);
    vkWaitSemaphores: RunOutOrBeLost, and rests through vkDeviceWaitIdle(device),
        (device: vk::Device, info: *const c_void, timeout: u64);
    vkGetSemaphoreCounterValue: RunOutOrBeLost, and rests through vkDeviceWaitIdle(device),
        (device: vk::Device, semaphore: u64, value: *mut u64);
    vkQueueWaitIdle: RunOutOrBeLost, and rests through vkQueueWaitIdle(queue), (queue: vk::Queue);
    vkDeviceWaitIdle: RunOutOrBeLost, and rests through vkDeviceWaitIdle(device), (device: vk::Device);
}

/// The loader's `vkGetInstanceProcAddr`.
pub static LOADER: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
/// Its `vkGetDeviceProcAddr`.
static OF_DEVICE: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// `vkGetInstanceProcAddr` with ours in place of the driver's.
///
/// # Safety
/// As of the function of that name; [`LOADER`] has been set.
pub unsafe extern "system" fn of_instance(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: it is the loader's function of that name.
    let loader: vk::PFN_vkGetInstanceProcAddr = unsafe { std::mem::transmute(LOADER.load(Ordering::Acquire)) };
    // SAFETY: the arguments are the caller's.
    let real = unsafe { loader(instance, name) };
    // SAFETY: the caller gives the name of a function, ended by a zero.
    match unsafe { CStr::from_ptr(name) }.to_str() {
        Ok("vkGetDeviceProcAddr") => {
            OF_DEVICE.store(real? as *mut c_void, Ordering::Release);
            let ours: vk::PFN_vkGetDeviceProcAddr = of_device;
            // SAFETY: both are pointers to functions; who asks by this name casts it back to this type.
            unsafe { std::mem::transmute::<vk::PFN_vkGetDeviceProcAddr, vk::PFN_vkVoidFunction>(ours) }
        }
        _ => real,
    }
}

unsafe extern "system" fn of_device(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: it is the loader's function of that name, stored before this one was handed out.
    let loader: vk::PFN_vkGetDeviceProcAddr = unsafe { std::mem::transmute(OF_DEVICE.load(Ordering::Acquire)) };
    // SAFETY: the arguments are the caller's.
    let real = unsafe { loader(device, name) };
    // SAFETY: the caller gives the name of a function, ended by a zero.
    match unsafe { CStr::from_ptr(name) }.to_str() {
        Ok(name) => replace(name, real),
        Err(_) => real,
    }
}
