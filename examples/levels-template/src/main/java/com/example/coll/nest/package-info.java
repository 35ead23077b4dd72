/**
 * The module {@code nest}: an example of a module that divides communicators by levels of locality, to any depth.
 *
 * <pre>{@code
 *   NestModule -- query: CollComm.levels --> NestInstance -- init: SetupComm.split by Level, and again for what it makes
 *   NestInstance -- domain, leaders --> NestedAllreduce, NestedBcast -- nested --> AdvancedPlan
 * }</pre>
 */
package com.example.coll.nest;
