/**
 * The module {@code offload}: an example of plans whose reductions are carried out by workers of the module.
 *
 * <pre>{@code
 *   OffloadModule -- query --> OffloadInstance -- init --> ReducingThread, OffloadEngine (workers)
 *   LinearReduce, LinearAllreduce -- plan.reduce(worker, ...) --> Plan
 * }</pre>
 */
package com.example.coll.offload;
