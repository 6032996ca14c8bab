// The element-wise updates of Brandes' two phases, each written once: inlined by the fused products,
// and wrapped as ElementwiseKernels for the reference engine.
#pragma once

// Sums over sources: of alpha * delta, and behind them those of alpha * delta^2, compiled only for the
// runs that ask for them.
#ifndef SQUARES
#define SQUARES false
#endif
constexpr int SUMS = SQUARES ? 2 : 1;

// sigma<fresh> = paths
template <class Real>
__device__ __forceinline__ void sigma_update(bool fresh, Real paths, Real &sigma) {
    if (fresh) sigma = paths;
}

// delta<here> = sigma .* below;  g<here> = (omega + delta) ./ sigma, in sigma's place
template <class Real>
__device__ __forceinline__ void delta_update(bool here, Real below, Real omega, Real &sigma,
                                             Real &delta) {
    delta = here ? sigma * below : Real(0);
    if (here) sigma = (omega + delta) / sigma;
}
