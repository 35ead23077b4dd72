/**
 * The module {@code aggregate}: an example of collectives that a device carries out.
 *
 * <pre>{@code
 *   AggregateModule -- query --> AggregateInstance -- init --> Aggregator on rank 0 (the device), AggregatorLink on each rank (its driver)
 *   AggregateAllreduce -- plan.offloaded(link, ...), plan.opaque(checksums, ...) --> Plan
 * }</pre>
 */
package com.example.coll.aggregate;
